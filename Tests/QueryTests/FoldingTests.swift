import HoldfastObjectModel
import HoldfastQuery
import Testing

/// `[c]`, `[d]` and `[cd]` behind every operator that takes them.
@Suite("Case and accents in comparisons")
struct FoldingTests {
    /// 1 Zürich, 2 ZURICH, 3 zu◌̈rich, 4 Genève, 5 nameless.
    let world: World

    init() {
        var people: [Person] = []
        for (place, name) in ["Zürich", "ZURICH", "zu\u{308}rich", "Genève", nil].enumerated() {
            let person = Person(Int64(place + 1))
            person.name = name
            people.append(person)
        }
        people[0].names = ["ZÜRICH", "x"]
        people[1].names = ["Zurich", nil]
        people[3].names = ["GENÈVE"]
        people[0].tags = ["é", "f"]
        people[1].blob = Array("Zürich".utf8)
        people[0].friends = [people[1], people[3]]
        world = World(people: people, dogs: [])
    }

    @Test(
        "case and accents are ignored as asked",
        arguments: [
            ("name == 'zürich'", []), ("name ==[c] 'zürich'", [1]), ("name ==[d] 'Zurich'", [1]),
            ("name ==[d] 'zurich'", [3]), ("name ==[cd] 'zurich'", [1, 2, 3]),
            ("name ==[cd] 'ZÜRICH'", [1, 2, 3]), ("name !=[cd] 'zurich'", [4, 5]),
            ("name !=[d] 'Zurich'", [2, 3, 4, 5]), ("name BEGINSWITH[d] 'Zu'", [1]),
            ("name BEGINSWITH[cd] 'zü'", [1, 2, 3]), ("name ENDSWITH[cd] 'URICH'", [1, 2, 3]),
            ("name ENDSWITH[d] 'eve'", [4]), ("name CONTAINS[cd] 'Ü'", [1, 2, 3]),
            ("name CONTAINS[d] 'nev'", [4]), ("name CONTAINS[c] 'RIC'", [1, 2, 3]),
            ("name LIKE[cd] 'z?r*'", [1, 2, 3]), ("name LIKE[d] 'Z?rich'", [1]),
            ("name LIKE[c] 'zu?rich'", [3]), ("name LIKE[c] 'z?rich'", [1, 2]),
            ("name IN[c] {'zurich', 'GENÈVE'}", [2, 4]),
            ("name IN[c] {null}", [5]), ("name IN[c] {}", []), ("blob IN[c] {bin('ZÜRICH')}", [2]),
            ("NOT name IN[c] {'zurich', 'GENÈVE'}", [1, 3, 5]),
            ("name ==[c] 'zurich' OR name == 'Genève' OR name ==[d] 'Zurich'", [1, 2, 4]),
            ("name ==[c] 'zurich' OR name ==[c] null OR name ==[c] 'ZURICH'", [2, 5]),
            ("name ==[cd] 'zurich' OR name ==[cd] 'geneve'", [1, 2, 3, 4]),
            ("name IN[d] {'Zurich', 'Geneve'}", [1, 4]),
            ("name IN[cd] {'zurich', null}", [1, 2, 3, 5]), ("name IN[cd] {}", []),
            ("'zurich' ==[cd] name", [1, 2, 3]),
            ("'xx ZÜRICH yy' CONTAINS[cd] name", [1, 2, 3, 5]),
            ("name ==[cd] null", [5]), ("name CONTAINS[cd] ''", [1, 2, 3, 4]),
            ("name CONTAINS[cd] null", [1, 2, 3, 4, 5]), ("blob ==[cd] bin('zurich')", [2]),
            ("ANY names ==[cd] name", [1, 2, 4]), ("ANY names ==[cd] 'zurich'", [1, 2]),
            ("ALL names CONTAINS[cd] 'e'", [3, 4, 5]), ("NONE names ==[d] 'Zurich'", [1, 3, 4, 5]),
            ("ANY names IN[cd] {'geneve', 'X'}", [1, 4]), ("name ==[cd] name", [1, 2, 3, 4, 5]),
            ("ANY friends.name ==[cd] 'zurich'", [1]), ("ANY tags ==[d] 'e'", [1]),
            ("name == [cd] 'zurich'", [1, 2, 3]), ("name CONTAINS[c] 'K'", []),
        ] as [(String, [Int64])])
    func flags(text: String, expected: [Int64]) throws {
        #expect(try world.ids(text) == expected)
    }

    @Test("one of thousands is found but for case, as an OR or a list, and nothing else")
    func manyTexts() throws {
        let texts = [
            "", "STRASSE", "straße", "STRAẞE", "Σίσυφος", "ΣΊΣΥΦΟΣ", "Kelvin", "K1999", "k2000",
            "ǅ", "k",
        ]
        let people = texts.enumerated().map { place, text in
            let person = Person(Int64(place + 1))
            person.name = text
            return person
        }
        let world = World(people: people, dogs: [])
        let wanted = (0..<2000).map { "k\($0)" } + ["Straße", "σίσυφοσ", "KELVIN", "ǆ", ""]
        let expected: [Int64] = [1, 3, 4, 5, 6, 7, 8, 10]
        #expect(
            try world.ids(wanted.map { "name ==[c] '\($0)'" }.joined(separator: " OR ")) == expected
        )
        #expect(
            try world.ids("name IN[c] {\(wanted.map { "'\($0)'" }.joined(separator: ","))}")
                == expected)
        // Many that begin alike.
        let long = String(repeating: "Ä", count: 300)
        #expect(
            try world.ids(
                "name IN[c] {\((0..<2000).map { "'\(long)\($0)'" }.joined(separator: ","))}") == [])
        for text in texts {
            #expect(
                try world.ids("name ==[c] '\(text)' OR name ==[c] '-'")
                    == world.ids("name ==[c] '\(text)'"))
        }
    }

    @Test("letters that fold to ASCII are found, and the other way round")
    func foldsToASCII() throws {
        let person = Person(1)
        person.name = "xx Kelvin ſ"
        let world = World(people: [person], dogs: [])
        for text in [
            "name CONTAINS[c] 'kelvin'", "name CONTAINS[c] 'S'", "name CONTAINS[c] 'KELVIN ſ'",
            "name ENDSWITH[c] 's'", "name LIKE[c] '*KEL*S'", "name CONTAINS[cd] 'kelvin'",
        ] { #expect(try world.ids(text) == [1], "\(text)") }
    }

    @Test(
        "what the flags do not go with is refused",
        arguments: [
            ("age ==[d] 3", QueryError.Kind.type), ("age ==[cd] 3", .type),
            ("name <[d] 'a'", .syntax), ("name BETWEEN[cd] {'a', 'b'}", .syntax),
        ])
    func refused(text: String, kind: QueryError.Kind) {
        #expect(throws: QueryError.self) { try world.ids(text) }
        do { _ = try world.ids(text) } catch let error as QueryError {
            #expect(error.kind == kind)
        } catch {}
    }
}
