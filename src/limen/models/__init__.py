"""Model routes and wires: from a neutral request to a vendor's protocol and back."""
