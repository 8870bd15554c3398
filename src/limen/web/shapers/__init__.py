"""What reshapes an answer on its way in."""
