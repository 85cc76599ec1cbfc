"""The pages of whoever runs a study and of its readers: the dashboard and the desk. They are in English alone."""
