"""Up to four scenarios side by side."""
