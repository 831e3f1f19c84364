"""What several pages share: access, forms, paging, phases."""
