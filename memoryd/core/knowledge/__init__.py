"""Knowledge points: validation, versions, sampling and merging."""
