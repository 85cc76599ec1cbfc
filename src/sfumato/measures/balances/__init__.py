"""The balance function: what one record tells against what the answer is worth, with both bounds."""
