"""Documents of office programs: ZIP packages of XML, turned into HTML for the writer of every page."""
