import Dispatch
import Foundation
import Holdfast
import Testing

@Suite("Observers on an actor that is not the realm's own")
@MainActor
struct ActorObservationTests {
    /// Objects of a realm of the main actor.
    private struct Things {
        let realm: Realm
        let dog = Dog(value: [1, "Rex", 3])
        let person = Person(value: ["name": "Ada", "marks": ["a": 1]])
        let dogs: Results<Dog>
        let initials: SectionedResults<String, Dog>

        init(_ name: String = #function) throws {
            realm = try Realm(configuration: Shared.configuration(name))
            dogs = realm.objects(Dog.self)
            initials = dogs.sectioned(
                by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
            try realm.write {
                person.dogs.append(dog)
                realm.add(person)
                realm.add(Dog(value: [2, "Bo"]))
            }
        }
    }

    @Test("are told of all kinds of things, in the actor's own realm")
    func kinds() async throws {
        let things = try Things()
        let (dog, person, initials) = (things.dog, things.person, things.initials)
        let listener = Listener()
        let tokens = [
            await things.dogs.observe(on: listener) { $0.note("results " + $1.line) },
            await AnyRealmCollection(person.dogs).observe(on: listener) {
                $0.note("list " + $1.line)
            },
            await person.marks.observe(on: listener) { $0.note("map " + $1.line) },
            await dog.observe(on: listener) { listener, change in
                if case .change(let dog, _) = change { #expect(dog.realm?.isFrozen == false) }
                listener.note("object " + change.line)
            },
            await DogProjection(projecting: dog).observe(keyPaths: ["name"], on: listener) {
                $0.note("projection " + $1.line)
            },
            await initials.observe(on: listener) { $0.note("sections " + $1.line) },
            await initials[0].observe(on: listener) { $0.note("section " + $1.line) },
            await person.dogs.projectTo.name.observe(on: listener) {
                $0.note("names " + $1.line)
            },
        ]
        #expect(
            try await listener.taken(6) == [
                "list 1 at first", "map 1 at first", "names 1 at first", "results 2 at first",
                "section 1 at first", "sections 2 at first",
            ])
        try things.realm.write {
            dog.name = "Rolf"
            person.marks["b"] = 2
            things.realm.add(Dog(value: [3, "Ben"]))
        }
        let told = try await listener.taken(8)
        #expect(
            told == [
                "list -[] +[] ~[0]", "map -[] +[\"b\"] ~[]", "names -[] +[] ~[0]",
                "object name: Rolf", "projection name: Rolf, shouted: ROLF",
                "results -[] +[2] ~[0]",
                "section -[] +[0.0] ~[] +[] -[]", "sections -[] +[0.0] ~[1.0] +[] -[]",
            ])
        for token in tokens { token.invalidate() }
        try things.realm.write { dog.name = "Max" }
        let again = await things.dogs.observe(on: listener) { $0.note($1.line) }
        #expect(try await listener.taken(1) == ["3 at first"])
        withExtendedLifetime(again) {}
    }

    @Test("are told of the properties of key paths alone")
    func keyPaths() async throws {
        let things = try Things()
        let dog = things.dog
        let projection = DogProjection(projecting: dog)
        let listener = Listener()
        let tokens = [
            await things.dogs.observe(keyPaths: [\.age], on: listener) { $0.note("1 " + $1.line) },
            await dog.observe(keyPaths: ["age"], on: listener) { $0.note("2 " + $1.line) },
            await dog.observe(keyPaths: [\.age], on: listener) { $0.note("3 " + $1.line) },
            await projection.observe(keyPaths: [\.years], on: listener) { $0.note("4 " + $1.line) },
            await things.initials.observe(keyPaths: [\.age], on: listener) {
                $0.note("5 " + $1.line)
            },
        ]
        _ = try await listener.taken(2)
        try things.realm.write { dog.weight = 2 }
        try things.realm.write { dog.age = 4 }
        #expect(
            try await listener.taken(5) == [
                "1 -[] +[] ~[0]", "2 age: 4", "3 age: 4", "4 years: 4", "5 -[] +[] ~[1.0] +[] -[]",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("may be on the realm's own actor")
    func ownActor() async throws {
        let things = try Things()
        nonisolated(unsafe) var lines: [String] = []
        let token = await things.dogs.observe(on: MainActor.shared) { _, change in
            lines.append(change.line)
        }
        for _ in 0..<30_000 where lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        try things.realm.write { things.dog.age = 9 }
        #expect(lines == ["2 at first", "-[] +[] ~[0]"])
        withExtendedLifetime(token) {}
    }

    @Test("are not kept by their tokens")
    func notKept() async throws {
        let things = try Things()
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            await listener.keep(
                await things.dogs.observe(on: listener) { $0.note($1.line) })
            #expect(try await listener.taken(1) == ["2 at first"])
        }
        for _ in 0..<30_000 where gone != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(gone == nil)
    }

    @Test("of sections and projected collections may be on a queue as well")
    func queue() async throws {
        let things = try Things()
        let queue = DispatchQueue(label: "observer")
        let listener = Listener()
        let tell: @Sendable (String) -> Void = { line in Task { await listener.note(line) } }
        let tokens = [
            things.initials.observe(on: queue) { tell("sections " + $0.line) },
            things.initials.observe(keyPaths: [\.age], on: queue) { tell("ages " + $0.line) },
            things.initials[0].observe(on: queue) { tell("section " + $0.line) },
            things.person.dogs.projectTo.name.observe(on: queue) { tell("names " + $0.line) },
        ]
        #expect(
            try await listener.taken(4) == [
                "ages 2 at first", "names 1 at first", "section 1 at first", "sections 2 at first",
            ])
        try things.realm.write { things.dog.name = "Bea" }
        #expect(
            try await listener.taken(4) == [
                "ages -[] +[0.0] ~[] +[] -[1]", "names -[] +[] ~[0]",
                "section -[] +[0.0] ~[] +[] -[]", "sections -[] +[0.0] ~[] +[] -[1]",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("of what is not managed end the process")
    func unmanaged() async {
        let ended = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = await Dog().observe(on: Listener()) { $0.note($1.line) }
        }
        Shared.expect(
            ended, tells: "Only objects which are managed by a Realm support change notifications")
    }
}
