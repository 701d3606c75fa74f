import Holdfast
import Testing

@Suite("Observers who are told of several steps at once")
struct SeveralStepsTests {
    /// A realm whose observers note what they are told of a dog, a person who has it, and all dogs.
    private final class World {
        let configuration = Shared.configuration()
        let realm: Realm
        private var lines: [String] = []
        private var tokens: [NotificationToken] = []

        init() throws {
            realm = try Realm(configuration: configuration)
            let person = Person(value: ["name": "Ada", "marks": ["art": 1]])
            let dog = Dog(value: [1, "Rex", 3])
            try realm.write {
                realm.add(person)
                person.dogs.append(dog)
            }
            let all = realm.objects(Dog.self)
            note(all.observe { [unowned self] in lines.append("all \($0.line)") })
            note(person.dogs.observe { [unowned self] in lines.append("own \($0.line)") })
            note(person.marks.observe { [unowned self] in lines.append("marks \($0.line)") })
            note(dog.observe { [unowned self] in lines.append("dog \($0.line)") })
            note(
                all.sectioned(by: \.name).observe { [unowned self] in
                    lines.append("sections \($0.line)")
                })
            realm.refresh()
            lines = []
        }

        func note(_ token: NotificationToken) { tokens.append(token) }

        /// Has another realm write.
        func write(_ change: @escaping (Realm, Dog, Person) -> Void) throws {
            try Shared.onThread { [configuration] in
                let other = try Realm(configuration: configuration)
                let dog = try #require(other.objects(Dog.self).first)
                let person = try #require(other.objects(Person.self).first)
                try other.write { change(other, dog, person) }
            }
        }

        /// Has the realm go to the newest version, which nobody is told of.
        func catchUp() throws {
            var reference: ThreadSafeReference<Dog>?
            try Shared.onThread { [configuration] in
                let other = try Realm(configuration: configuration)
                reference = other.objects(Dog.self).first.map { ThreadSafeReference(to: $0) }
            }
            _ = realm.resolve(try #require(reference))
        }

        /// What the observers were told since this was last asked.
        func taken() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    @Test("are not told of what has become again what they know")
    func restored() throws {
        let world = try World()
        try world.write { _, dog, person in
            dog.name = "Bo"
            person.marks["art"] = 2
            person.marks["new"] = 3
        }
        try world.catchUp()
        try world.write { _, dog, person in
            dog.name = "Rex"
            person.marks["art"] = 1
            person.marks["new"] = nil
        }
        world.realm.refresh()
        #expect(world.taken() == [])
    }

    @Test("are not told of it either if another began to observe meanwhile")
    func restoredBesideAnother() throws {
        let world = try World()
        let dog = try #require(world.realm.objects(Dog.self).first)
        try world.write { _, dog, person in
            dog.name = "Bo"
            person.marks["art"] = 2
        }
        try world.catchUp()
        let (told, toldOfDog) = (Told<Results<Dog>>(), ToldOfObject())
        world.note(world.realm.objects(Dog.self).observe { told.take($0) })
        world.note(dog.observe { toldOfDog.take($0) })
        try world.write { _, dog, person in
            dog.name = "Rex"
            person.marks["art"] = 1
        }
        world.realm.refresh()
        #expect(world.taken() == [])
        #expect(told.taken() == [.initial])
        #expect(toldOfDog.taken() == ["name: Bo → Rex"])
        try world.write { _, dog, _ in dog.age = 4 }
        world.realm.refresh()
        #expect(told.taken() == [.update(modifications: [0])])
        #expect(toldOfDog.taken() == ["age: 3 → 4"])
    }

    @Test("are not told of it either if the block of another led the realm there")
    func restoredInBlock() throws {
        let world = try World()
        let dogs = world.realm.objects(Dog.self)
        let dog = try #require(dogs.first)
        world.note(
            dogs.observe { [unowned world] change in
                guard case .update(let dogs, _, _, _) = change, dogs[0].name == "Bo" else { return }
                do {
                    try world.write { _, dog, _ in dog.name = "Rex" }
                    try world.catchUp()
                } catch { Issue.record(error) }
            })
        let (told, toldOfDog) = (Told<Results<Dog>>(), ToldOfObject())
        world.note(dogs.observe { told.take($0) })
        world.note(dog.observe { toldOfDog.take($0) })
        world.realm.refresh()
        _ = (world.taken(), told.taken(), toldOfDog.taken())
        try world.write { _, dog, _ in dog.name = "Bo" }
        world.realm.refresh()
        #expect(told.taken() == [])
        #expect(toldOfDog.taken() == [])
        _ = world.taken()
        world.realm.refresh()
        #expect(
            world.taken() == [
                "all -[] +[] ~[0]", "own -[] +[] ~[0]", "dog name: Rex",
                "sections -[] +[0.0] ~[] +[0] -[0]",
            ])
    }

    @Test("are not called after the block of another has invalidated the realm")
    func invalidated() throws {
        let world = try World()
        let dogs = world.realm.objects(Dog.self)
        var isEnding = false
        world.note(dogs.observe { [unowned world] _ in if isEnding { world.realm.invalidate() } })
        world.realm.refresh()
        isEnding = true
        let told = Told<Results<Dog>>()
        world.note(dogs.observe { told.take($0) })
        try world.write { _, dog, _ in dog.name = "Bo" }
        world.realm.refresh()
        #expect(told.taken() == [])
    }

    @Test("are told of all of them in one change")
    func joined() throws {
        let world = try World()
        try world.write { _, dog, person in
            dog.name = "Bo"
            person.marks["art"] = 2
        }
        try world.catchUp()
        #expect(world.taken() == [])
        try world.write { other, dog, person in
            dog.age = 4
            other.add(Dog(value: [2, "Bo"]))
            person.marks["new"] = 3
        }
        world.realm.refresh()
        #expect(
            world.taken() == [
                "all -[] +[1] ~[0]", "own -[] +[] ~[0]", #"marks -[] +["new"] ~["art"]"#,
                "dog name: Bo, age: 4", "sections -[] +[0.0 0.1] ~[] +[0] -[0]",
            ])
    }

    @Test("begin where the realm is, and are told of no step that led there")
    func begun() throws {
        let world = try World()
        try world.write { other, _, _ in other.add(Dog(value: [2, "Bo"])) }
        try world.catchUp()
        let told = Told<Results<Dog>>()
        world.note(world.realm.objects(Dog.self).observe { told.take($0) })
        world.realm.refresh()
        #expect(told.taken() == [.initial])
        #expect(world.taken() == ["all -[] +[1] ~[]", "sections -[] +[0.0] ~[] +[0] -[]"])
    }

    @Test("are told of one before a write of somebody who was told of it before them")
    func nested() throws {
        let world = try World()
        let told = Told<Results<Dog>>()
        var names: [String] = []
        var hasWritten = false
        let realm = world.realm
        world.note(
            realm.objects(Dog.self).observe { change in
                guard case .update(let dogs, _, _, _) = change, !hasWritten else { return }
                hasWritten = true
                realm.beginWrite()
                dogs[0].name = "Rex"
                do { try realm.commitWrite() } catch { Issue.record(error) }
            })
        world.note(
            realm.objects(Dog.self).observe { change in
                told.take(change)
                if case .update(let dogs, _, _, _) = change { names.append(dogs[0].name) }
            })
        realm.refresh()
        _ = told.taken()
        try world.write { _, dog, _ in dog.name = "Bo" }
        realm.refresh()
        #expect(told.taken() == [.update(modifications: [0]), .update(modifications: [0])])
        #expect(names == ["Bo", "Rex"])
    }
}
