"""What a credential looks like: rules, the values they accept, and the forms a text may hide them in."""
