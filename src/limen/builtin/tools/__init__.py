"""Tools that are not the web's."""
