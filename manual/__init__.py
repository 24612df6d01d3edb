"""What builds the manual's site from docs/, the lessons' READMEs and the error table; no part of the packages."""
