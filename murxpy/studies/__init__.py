"""Questions that are put to many targets: a matrix of releases, stability, slow scripts."""
