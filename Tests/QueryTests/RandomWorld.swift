import HoldfastObjectModel
import HoldfastTestSupport

extension World {
    /// Words that collide often, in both cases, beyond ASCII and beyond the length of a key.
    static let words: [String] =
        ["", "a", "A", "ab", "aB", "abc", "b", "é", "É", "\0", "a\0b", "Straße", "😀", "z"]
        + [
            String(repeating: "a", count: 400), String(repeating: "a", count: 401),
            String(repeating: "a", count: 401) + "b", String(repeating: "a", count: 399) + "\0\0x",
        ]

    /// A world whose values collide often.
    static func random(_ count: Int, using random: inout SeededGenerator) -> World {
        func maybe<T>(_ value: T) -> T? { Int.random(in: 0..<4, using: &random) == 0 ? nil : value }
        func word() -> String { words.randomElement(using: &random) ?? "" }
        func int() -> Int64 { Int64.random(in: -2...3, using: &random) }
        let people = (0..<count).map { Person(Int64($0)) }
        func someone() -> Person? { maybe(people.randomElement(using: &random) ?? people[0]) }
        func several<T>(_ make: () -> T) -> [T] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in make() }
        }
        func address() -> Address {
            Address(city: maybe(word()), zip: maybe(int()), owner: someone())
        }
        for person in people {
            person.name = maybe(word())
            person.age = maybe(int())
            person.score = maybe(
                [-1.5, -0.0, 0, 1, 2.5, .nan, .infinity, -.infinity].randomElement(using: &random)
                    ?? 0)
            person.active = maybe(Bool.random(using: &random))
            person.born = maybe(
                Timestamp(seconds: int(), nanoseconds: Int32.random(in: 0...1, using: &random)))
            person.oid = maybe(
                ObjectID(
                    high: UInt64.random(in: 0...1, using: &random),
                    low: UInt32.random(in: 0...1, using: &random)))
            person.uid = maybe(
                UUID128(
                    high: UInt64.random(in: 0...1, using: &random),
                    low: UInt64.random(in: 0...1, using: &random)))
            person.blob = maybe(Array(word().utf8.prefix(3)))
            person.home = maybe(address())
            person.places = several(address)
            person.friend = someone()
            person.friends = several { people.randomElement(using: &random) ?? people[0] }
            for one in several({ people.randomElement(using: &random) ?? people[0] })
            where !person.crew.contains(where: { $0 === one }) { person.crew.append(one) }
            person.ints = several { maybe(int()) }
            person.names = several { maybe(word()) }
            person.tags = Array(Set(several(word)))
        }
        let dogs = (0..<count / 2).map { Dog("dog\($0)", master: someone()) }
        return World(people: people, dogs: dogs)
    }
}
