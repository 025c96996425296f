"""Small widgets that every panel uses; they hold no state of the session."""
