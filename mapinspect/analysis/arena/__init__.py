"""What a model needs of its tensor arena: lifetimes, plans, and the runtime's own memory."""
