"""Questions that the documents' authors wrote themselves: sentences that name where their answer stands."""
