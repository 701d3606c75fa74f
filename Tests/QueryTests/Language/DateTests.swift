import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import Testing

@Suite("Dates, identifiers and the time of a request")
struct DateTests {
    let world: LanguageWorld

    init() throws {
        world = try LanguageWorld()
        let id = try #require(
            Array("65a0b1c2d3e4f50617280003".utf8).withUnsafeBytes { ObjectID(text: $0) })
        let uuid = try #require(
            Array("123e4567-e89b-12d3-a456-426614174003".utf8).withUnsafeBytes { UUID128(text: $0) }
        )
        try world.put(
            5,
            [
                "at": .value(LanguageWorld.date(-1)), "oid": .value(.objectID(id)),
                "uid": .value(.uuid(uuid)),
            ])
    }

    @Test("a date may be written as RFC 3339 has it, bare or in quotes")
    func dates() {
        world.check([
            ("at == 1970-01-01T00:01:40Z", [1]), ("at == '1970-01-01T00:01:40Z'", [1]),
            ("at > 1970-01-01T00:01:40Z", [2]), ("at>=1970-01-01t00:01:40z", [1, 2]),
            ("at == 1970-01-01T01:01:40+01:00", [1]), ("at == 1969-12-31T23:01:40-01:00", [1]),
            ("at == 1970-01-01T00:01:40.000Z", [1]), ("at == 1970-01-01T00:01:40.5Z", []),
            ("at < 1970-01-01T00:01:40.000000001Z", [1, 5]), ("at < 1899-01-01T00:00:00Z", []),
            ("at IN {1970-01-01T00:01:40Z, '1970-01-01T00:03:20Z'}", [1, 2]),
            ("at BETWEEN {1970-01-01T00:00:00Z, '1970-01-01T00:02:00Z'}", [1]),
            ("'1970-01-01T00:01:40Z' == at", [1]), ("at == 1970-01-01T00:01:40", [1]),
            ("ANY dates == '1970-01-01T00:00:10Z'", [1]),
            ("friend.at > '1970-01-01T00:03:19Z'", [1]),
            ("SUBQUERY(friends, $f, $f.at > 1970-01-01T00:01:40Z).@count == 1", [1, 4]),
            ("mix == 1970-01-01T00:01:40Z", []), ("NOT at <= '1970-01-01T00:01:40Z'", [2, 3, 4]),
        ])
    }

    @Test("a uuid and an objectId may stand in quotes beside such a property")
    func identifiers() {
        world.check([
            ("oid == '65a0b1c2d3e4f50617280003'", [5]), ("'65A0B1C2D3E4F50617280003' == oid", [5]),
            ("oid IN {'65a0b1c2d3e4f50617280003', 'x'}", [5]),
            ("uid == '123e4567-e89b-12d3-a456-426614174003'", [5]),
            ("uid == \"123E4567-E89B-12D3-A456-426614174003\"", [5]),
            ("uid != '123e4567-e89b-12d3-a456-426614174003'", [1, 2, 3, 4]),
        ])
    }

    @Test("queries that differ only in how a date is written are equal")
    func equality() throws {
        func predicate(_ text: String) throws -> Predicate {
            try CompiledQuery.compile(text: text, rootClass: 0, schema: world.rows) {
                Timestamp(seconds: 200, nanoseconds: 0)
            }.predicate
        }
        let expected = try predicate("at > T100:0")
        for other in [
            "1970-01-01T00:01:40Z", "'1970-01-01T00:01:40Z'", "1970-01-01T02:01:40.0+02:00",
            "1970-1-1@0:1:40", "now() - 100s", "now()-100s", "NOW() - 1m - 40s", "now() - 2m + 20s",
        ] {
            #expect(try predicate("at > \(other)") == expected, "\(other)")
        }
        #expect(try predicate("at > now()") == predicate("at > T200:0"))
        #expect(try predicate("at > now() + 1w") == predicate("at > T605000:0"))
        #expect(try predicate("at > now() + 1h") == predicate("at > now() +60m"))
        #expect(
            try predicate("at BETWEEN {now() - 1d, now()}")
                == predicate("at BETWEEN {T-86200:0, T200:0}"))
        #expect(try predicate("now() - 1s == at") == predicate("T199:0 == at"))
    }

    @Test("now() is the time that the query is given, and is told of only where it stands")
    func now() throws {
        func now(_ text: String) throws -> Timestamp? {
            try CompiledQuery.compile(text: text, rootClass: 0, schema: world.rows) {
                Timestamp(seconds: 200, nanoseconds: 7)
            }.now
        }
        #expect(try now("at < now() - 7d") == Timestamp(seconds: 200, nanoseconds: 7))
        #expect(try now("SUBQUERY(friends, $f, $f.at < now()).@count > 1") != nil)
        #expect(try now("at < T100:0") == nil)
        #expect(try now("name == 'now()'") == nil)
    }

    @Test("what is no date, duration or identifier is refused with what to write")
    func faults() throws {
        func error(_ text: String, _ now: Timestamp?) -> QueryError? {
            do throws(QueryError) {
                _ = try CompiledQuery.compile(text: text, rootClass: 0, schema: world.rows) { now }
                return nil
            } catch {
                return error
            }
        }
        let now = Timestamp(seconds: 200, nanoseconds: 0)
        for (text, part, column) in [
            ("at > 'yesterday'", "2026-11-20T06:38:58Z", 4),
            ("at > 1970-13-01T00:00:00Z", "2026-11-20T06:38:58Z", 6),
            ("at > 1970-01-01", "a date has a time, such as 1970-01-01T00:00:00Z", 10),
            ("oid == 'x'", "24 hexadecimal digits", 5), ("uid == 'x'", "8-4-4-4-12", 5),
            ("at > now() - 7", "a duration such as 7d", 15),
            ("at > now() - 7y", "a duration such as 7d", 15),
            ("at > now() - d", "a duration such as 7d", 14),
            ("at > now() - 1.5d", "a duration such as 7d", 14),
            ("at > now(1)", "", 9), ("n > now()", "", 3), ("at > now", "no property 'now'", 6),
            ("at > now() + 9223372036854775807w", "years", 12),
            ("at > now() + 9223372036854775807s + 9s", "years", 6),
            ("at > now() + 500000w", "years", 6),
        ] {
            let found = error(text, now)
            #expect(found?.message.contains(part) ?? false, "\(text): \(found?.message ?? "-")")
            #expect(found?.column == column, "\(text): \(found?.column ?? 0)")
        }
        let lasting = error("at > now() - 7d", nil)
        #expect(lasting?.kind == .type)
        #expect(lasting?.column == 6)
        #expect(lasting?.message.contains("State a date") ?? false)
    }

    @Test("common slips are refused with what is meant")
    func slips() throws {
        for (text, hint) in [
            ("name == swift", "'swift'"), ("name CONTAINS swift", "'swift'"),
            ("friend.name == nam", "name"), ("mix == swift", "'swift'"),
            ("name IN ['a', 'b']", "{'a', 'b'}"), ("n IN [1]", "{1}"), ("name == ['a']", "{'a'}"),
            ("name IS NULL", "== null"), ("name is not null", "!= null"),
            ("name IS NOT NULL AND n > 1", "!= null"),
        ] {
            #expect(try world.fault(text)?.hint == hint, "\(text)")
        }
        #expect(try world.fault("name == swift")?.message.contains("quotes: 'swift'") ?? false)
        #expect(try world.fault("friend == swift")?.hint == nil)
        for (list, hint) in [
            ("name desc", "-name"), ("name DESC,n", "-name"), ("n asc", "n"),
            ("friend.name descending", "-friend.name"),
        ] {
            do throws(QueryError) {
                _ = try SortKey.parse(list: list, root: .objects(classIndex: 0), schema: world.rows)
                Issue.record("\(list) is taken")
            } catch {
                #expect(error.hint == hint, "\(list): \(error)")
            }
        }
    }
}
