"""What users are told: on the page of notices, by the bell, and by mail.

`relay` makes notices of the events in the logs, `ranks` of ranks that are certainly lost, and
`mailing` mails of the notices that are due. Nothing here reveals what the user may not see.
"""
