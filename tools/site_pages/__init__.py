"""What the site is made of before Sphinx sees it."""
