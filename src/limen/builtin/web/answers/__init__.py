"""What a vendor gave, as hits and pages."""
