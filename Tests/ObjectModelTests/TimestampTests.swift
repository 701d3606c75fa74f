import HoldfastObjectModel
import Testing
import HoldfastTestSupport

@Suite("Timestamps")
struct TimestampTests {
    /// Text, seconds and nanoseconds since 1970, text in UTC: made by Python's `datetime`, which counts
    /// the proleptic Gregorian calendar as RFC 3339 does.
    private static let vectors: [(text: String, seconds: Int64, nanoseconds: Int32, utc: String)] =
        [
            (
                "0001-01-02T14:29:59.000000001-09:30", -62135424001, 1,
                "0001-01-02T23:59:59.000000001Z"
            ),
            ("0004-02-29T11:59:59-12:00", -62035804801, 0, "0004-02-29T23:59:59Z"),
            (
                "0099-12-31T22:59:59.999999999-01:00", -59011459201, 999999999,
                "0099-12-31T23:59:59.999999999Z"
            ),
            ("1582-10-16T00:59:59+01:00", -12219206401, 0, "1582-10-15T23:59:59Z"),
            ("1600-02-29T11:59:59-12:00", -11670912001, 0, "1600-02-29T23:59:59Z"),
            ("1700-02-28T14:29:59.12-09:30", -8515238401, 120000000, "1700-02-28T23:59:59.12Z"),
            ("1900-03-02T05:29:59+05:30", -2203804801, 0, "1900-03-01T23:59:59Z"),
            ("1904-02-29T23:58:59.12-00:01", -2077660801, 120000000, "1904-02-29T23:59:59.12Z"),
            ("1969-12-31T14:29:59.5-09:30", -1, 500000000, "1969-12-31T23:59:59.5Z"),
            ("1970-01-02T00:59:59.000000001+01:00", 86399, 1, "1970-01-01T23:59:59.000000001Z"),
            ("2000-03-01T05:29:59.5+05:30", 951868799, 500000000, "2000-02-29T23:59:59.5Z"),
            ("2000-12-31T14:29:59-09:30", 978307199, 0, "2000-12-31T23:59:59Z"),
            ("2100-03-01T05:29:59.5+05:30", 4107542399, 500000000, "2100-02-28T23:59:59.5Z"),
            (
                "2400-02-29T14:29:59.000000001-09:30", 13574649599, 1,
                "2400-02-29T23:59:59.000000001Z"
            ),
            ("9999-12-31T13:59:59.5+14:00", 253402214399, 500000000, "9999-12-30T23:59:59.5Z"),
            ("5935-11-08T15:42:44.398Z", 125150197364, 398000000, "5935-11-08T15:42:44.398Z"),
            ("4244-05-14T14:17:35+05:45", 71772078755, 0, "4244-05-14T08:32:35Z"),
            (
                "5287-04-10T02:41:22.007743105+05:45", 104683006582, 7743105,
                "5287-04-09T20:56:22.007743105Z"
            ),
            (
                "8951-10-15T10:50:22.209514057+05:45", 220323906322, 209514057,
                "8951-10-15T05:05:22.209514057Z"
            ),
            ("7525-11-05T13:10:03+01:00", 175325515803, 0, "7525-11-05T12:10:03Z"),
            (
                "0790-01-16T10:40:44.087054117+13:59", -37235906296, 87054117,
                "0790-01-15T20:41:44.087054117Z"
            ),
            ("4900-05-02T19:55:13.548-05:00", 92472454513, 548000000, "4900-05-03T00:55:13.548Z"),
            ("5948-10-14T11:08:26Z", 125558334506, 0, "5948-10-14T11:08:26Z"),
            (
                "7708-10-29T20:06:15.296680059-05:00", 181099933575, 296680059,
                "7708-10-30T01:06:15.296680059Z"
            ),
            ("3479-07-29T08:48:48Z", 47637535728, 0, "3479-07-29T08:48:48Z"),
            ("4044-05-07T00:10:06.784+05:45", 65460075906, 784000000, "4044-05-06T18:25:06.784Z"),
            ("4201-05-27T07:21:44+01:00", 70416195704, 0, "4201-05-27T06:21:44Z"),
            ("0471-10-13T18:07:27.366Z", -47279137953, 366000000, "0471-10-13T18:07:27.366Z"),
            (
                "5030-08-15T23:17:12.789069194Z", 96583879032, 789069194,
                "5030-08-15T23:17:12.789069194Z"
            ),
            ("4944-08-13T06:35:17+13:59", 93869771777, 0, "4944-08-12T16:36:17Z"),
            ("1337-03-30T15:07:00-05:00", -19967831580, 0, "1337-03-30T20:07:00Z"),
            ("2354-06-25T18:00:47.391Z", 12133044047, 391000000, "2354-06-25T18:00:47.391Z"),
            ("9981-07-19T20:18:30-05:00", 252820055910, 0, "9981-07-20T01:18:30Z"),
            (
                "6284-10-11T16:02:07.841540511+01:00", 136161270127, 841540511,
                "6284-10-11T15:02:07.841540511Z"
            ),
            (
                "1712-01-03T10:55:58.471723528Z", -8141519042, 471723528,
                "1712-01-03T10:55:58.471723528Z"
            ),
            ("0969-03-07T21:07:57.057Z", -31582752723, 57000000, "0969-03-07T21:07:57.057Z"),
            ("2719-01-18T15:17:58.042-05:00", 23637644278, 42000000, "2719-01-18T20:17:58.042Z"),
            ("4299-06-22T00:51:41+05:45", 73511003201, 0, "4299-06-21T19:06:41Z"),
            (
                "7213-12-29T11:23:20.699663246Z", 165484466600, 699663246,
                "7213-12-29T11:23:20.699663246Z"
            ),
            ("7655-08-22T03:11:25Z", 179421448285, 0, "7655-08-22T03:11:25Z"),
        ]

    private func read(_ text: String) -> Timestamp? {
        Array(text.utf8).withUnsafeBytes { Timestamp(rfc3339: $0) }
    }

    @Test(
        "dates of any offset, year and precision are read and written as another implementation does"
    )
    func vectors() {
        for vector in Self.vectors {
            let expected = Timestamp(seconds: vector.seconds, nanoseconds: vector.nanoseconds)
            #expect(read(vector.text) == expected, "\(vector.text)")
            #expect(expected.description == vector.utc)
            #expect(read(vector.utc) == expected)
        }
    }

    @Test("lower case, a blank in place of the T, and a leap second are read")
    func accepted() {
        let expected = Timestamp(seconds: 951_782_400, nanoseconds: 0)
        for text in [
            "2000-02-29T00:00:00Z", "2000-02-29t00:00:00z", "2000-02-29 00:00:00+00:00",
            "2000-02-29T00:00:00-00:00", "2000-02-28T23:59:60Z", "2000-02-29T23:59:00+23:59",
            "2000-02-29T00:00:00.000000000Z",
        ] {
            #expect(read(text) == expected, "\(text)")
        }
        #expect(read("0000-01-01T00:00:00Z")?.seconds == -62_167_219_200)
        #expect(read("0000-02-29T00:00:00Z")?.description == "0000-02-29T00:00:00Z")
    }

    @Test(
        "what is no RFC 3339 date-time is refused",
        arguments: [
            "", "2000", "2000-02-29", "2000-02-29T00:00:00", "2000-02-29T00:00Z",
            "2000-2-29T00:00:00Z",
            "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2000-04-31T00:00:00Z",
            "2000-00-10T00:00:00Z",
            "2000-13-10T00:00:00Z", "2000-01-00T00:00:00Z", "2000-01-01T24:00:00Z",
            "2000-01-01T00:60:00Z", "2000-01-01T00:00:61Z", "2000-01-01T00:00:00.Z",
            "2000-01-01T00:00:00.1234567890Z", "2000-01-01T00:00:00+24:00",
            "2000-01-01T00:00:00+00:60",
            "2000-01-01T00:00:00+0000", "2000-01-01T00:00:00+00", "2000-01-01T00:00:00ZZ",
            "2000-01-01T00:00:00Z ", " 2000-01-01T00:00:00Z", "+2000-01-01T00:00:00Z",
            "20000-01-01T00:00:00Z", "-200-01-01T00:00:00Z", "2000-01-01T00:00:00,5Z",
            "２000-01-01T00:00:00Z", "2000/01/01T00:00:00Z", "2000-01-01X00:00:00Z",
        ])
    func refused(text: String) {
        #expect(read(text) == nil)
    }

    @Test("every beginning of a date-time is read without harm, and only the whole is one")
    func beginnings() {
        let text = "1969-12-31T23:59:59.123456789-08:00"
        for count in 0..<text.utf8.count { #expect(read(String(text.prefix(count))) == nil) }
        #expect(read(text) == Timestamp(seconds: 28_799, nanoseconds: 123_456_789))
    }

    @Test("the calendar agrees with counting day by day over 800 years")
    func calendar() {
        var (year, month, day) = (Int64(1599), Int64(12), Int64(31))
        let first = Timestamp.days(year: year, month: month, day: day)
        #expect(first == -135_141)
        var wrong: [Int64] = []
        for number in first..<(first + 292_194) {
            let isRight =
                Timestamp.days(year: year, month: month, day: day) == number
                && Timestamp.date(days: number) == (year, month, day)
            if !isRight { wrong.append(number) }
            day += 1
            let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
            let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            if day > lengths[Int(month) - 1] {
                day = 1
                month += 1
            }
            if month > 12 {
                month = 1
                year += 1
            }
        }
        #expect(wrong == [])
        #expect((year, month, day) == (2399, 12, 31))
    }

    @Test("years beyond four digits are written with a sign, and the extremes without harm")
    func extremes() {
        #expect(
            Timestamp(seconds: 253_402_300_800, nanoseconds: 0).description
                == "+10000-01-01T00:00:00Z")
        #expect(
            Timestamp(seconds: -62_167_219_201, nanoseconds: 0).description
                == "-0001-12-31T23:59:59Z")
        for seconds in [Int64.min, .max] {
            #expect(
                Timestamp(seconds: seconds, nanoseconds: 999_999_999).description.hasSuffix("Z"))
        }
        // Damaged rows can hold these.
        for nanoseconds in [Int32.min, -1, 1_000_000_000, .max] {
            _ = Timestamp(seconds: 0, nanoseconds: nanoseconds).description
        }
    }

    @Test("timestamps are ordered by time")
    func order() {
        let ordered = [(-2, 999_999_999), (-1, 0), (-1, 1), (0, 0), (0, 5), (1, 0)].map {
            Timestamp(seconds: $0.0, nanoseconds: Int32($0.1))
        }
        for (a, x) in ordered.enumerated() {
            for (b, y) in ordered.enumerated() { #expect((x < y) == (a < b)) }
        }
    }
}
