from skill import readable_size


def test_example_1():
    assert readable_size(1536) == '1.5 KiB'


def test_example_2():
    assert readable_size(999) == '999 B'


def test_example_3():
    assert readable_size(0) == '0 B'


def test_example_4():
    assert readable_size(1023) == '1023 B'


def test_example_5():
    assert readable_size(1024) == '1.0 KiB'


def test_example_6():
    assert readable_size(1048524) == '1023.9 KiB'


def test_example_7():
    assert readable_size(1048525) == '1.0 MiB'


def test_example_8():
    assert readable_size(5942880) == '5.7 MiB'


def test_example_9():
    assert readable_size(3221225472) == '3.0 GiB'


def test_example_10():
    assert readable_size(8246337208320) == '7.5 TiB'


def test_example_11():
    assert readable_size(2199023255552000) == '2000.0 TiB'
