"""A writer of reports: its name is an option of `murxpy report`, and the first line of its text the help."""


def write(report):
    """the keys of the defects, one a line"""
    return "".join(f"{page.bucket.key}\n" for page in report.defects)
