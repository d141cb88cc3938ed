def split_amount(amount, parts):
    cents, left = divmod(round(amount * 100), parts)
    return [(cents + (place < left)) / 100 for place in range(parts)]
