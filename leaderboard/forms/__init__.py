"""Fields and errors of forms that the admin and the pages share."""
