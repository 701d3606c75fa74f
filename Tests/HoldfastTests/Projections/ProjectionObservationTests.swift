import Holdfast
import Testing

/// What an observer of a projection was told: a line for each call.
private final class ToldOfProjection {
    private var lines: [String] = []

    func take(_ change: ObjectChange<some ProjectionObservable>) {
        switch change {
        case .change(_, let properties):
            lines += [
                properties.map {
                    "\($0.name): \(Self.text($0.oldValue)) → \(Self.text($0.newValue))"
                }.joined(separator: ", ")
            ]
        case .deleted: lines.append("deleted")
        case .error(let error): lines.append("\(error)")
        }
    }

    private static func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }

    func taken() -> [String] {
        defer { lines = [] }
        return lines
    }
}

@Suite("Observers of projections")
struct ProjectionObservationTests {
    private func kennel(_ name: String = #function) throws -> (Realm, DogProjection) {
        let realm = try Realm.empty(name)
        let bo = Dog(value: [2, "Bo", 7])
        try realm.write {
            realm.add(Dog(value: ["id": 1, "name": "Rex", "age": 3, "friend": bo]))
        }
        return (realm, realm.objects(DogProjection.self)[0])
    }

    @Test(
        "are told the projected properties, by their names there and with what they showed and show"
    )
    func change() throws {
        let (realm, rex) = try kennel()
        let told = ToldOfProjection()
        let token = rex.observe { told.take($0) }
        realm.refresh()
        #expect(told.taken() == [])
        try realm.write { rex.years = 4 }
        #expect(told.taken() == ["years: 3 → 4, summary: Rex, 3 → Rex, 4"])
        try realm.write { rex.rootObject.name = "Max" }
        #expect(
            told.taken() == [
                "name: Rex → Max, shouted: REX → MAX, summary: Rex, 4 → Max, 4"
            ])
        try realm.write { rex.rootObject.friend?.name = "Ben" }
        #expect(
            told.taken() == ["friendName: Bo → Ben, requiredFriendName: Bo → Ben"])
        try realm.write {
            rex.rootObject.weight = 30
            rex.rootObject.friend?.age = 8
            rex.name = "Max"
        }
        #expect(told.taken() == [])
        try realm.write { realm.delete(rex.rootObject) }
        #expect(told.taken() == ["deleted"])
        withExtendedLifetime(token) {}
    }

    @Test("may ask for some, by the projection's names, the object's paths, or key paths")
    func keyPaths() throws {
        let (realm, rex) = try kennel()
        let told = (ToldOfProjection(), ToldOfProjection(), ToldOfProjection())
        let tokens = [
            rex.observe(keyPaths: ["years"]) { told.0.take($0) },
            rex.observe(keyPaths: ["friend.name"]) { told.1.take($0) },
            rex.observe(keyPaths: [\.years]) { told.2.take($0) },
        ]
        try realm.write {
            rex.name = "Max"
            rex.rootObject.friend?.name = "Ben"
        }
        #expect(told.0.taken() == [] && told.2.taken() == [])
        #expect(
            told.1.taken() == ["friendName: Bo → Ben, requiredFriendName: Bo → Ben"])
        try realm.write { rex.years = 4 }
        #expect(told.0.taken() == ["years: 3 → 4"] && told.1.taken() == [])
        #expect(told.2.taken() == ["years: 3 → 4"])
        withExtendedLifetime(tokens) {}
    }

    @Test("are told of collections without the values before, and of embedded objects")
    func collections() throws {
        let realm = try Realm.empty()
        let person = Person(value: ["home": ["street": "a", "inner": ["street": "b"]]])
        try realm.write { realm.add(person) }
        let projection = PersonProjection(projecting: person)
        let told = ToldOfProjection()
        let home = ToldOfProjection()
        let address = AddressProjection(projecting: try #require(person.home))
        let tokens = [projection.observe { told.take($0) }, address.observe { home.take($0) }]
        try realm.write { person.home?.inner?.street = "c" }
        #expect(told.taken() == ["innerStreet: b → c"] && home.taken() == [])
        try realm.write { address.street = "d" }
        #expect(told.taken() == [] && home.taken() == ["street: a → d"])
        try realm.write { person.dogs.append(Dog(value: [1, "Rex"])) }
        let added = told.taken()
        #expect(added.count == 1 && added[0].contains("dogCount: 0 → 1, dogNames: nil → "))
        #expect(added[0].contains("firstDog: nil → Rex") && !added[0].contains("tags"))
        try realm.write { person.dogs[0].name = "Bo" }
        let renamed = told.taken()
        #expect(renamed.count == 1 && renamed[0].contains("firstDog: Rex → Bo"))
        #expect(!renamed[0].contains("dogCount"))
        try realm.write { person.home = nil }
        #expect(told.taken() == ["innerStreet: c → nil"] && home.taken() == ["deleted"])
        withExtendedLifetime(tokens) {}
    }

    @Test("of results are told what comes and goes, and changes of what is projected alone")
    func results() throws {
        let (realm, rex) = try kennel()
        let dogs = realm.objects(DogProjection.self).sorted(by: \.name)
        let told = (Told<Results<DogProjection>>(), Told<Results<DogProjection>>())
        let tokens = [
            dogs.observe { told.0.take($0) },
            dogs.observe(keyPaths: ["years"]) { told.1.take($0) },
        ]
        realm.refresh()
        #expect(told.0.taken() == [.initial] && told.1.taken() == [.initial])
        try realm.write { rex.rootObject.weight = 5 }
        #expect(told.0.taken() == [] && told.1.taken() == [])
        try realm.write { rex.rootObject.friend?.name = "Ben" }
        #expect(told.0.taken() == [.update(modifications: [0, 1])] && told.1.taken() == [])
        try realm.write { rex.years = 5 }
        #expect(told.0.taken() == [.update(modifications: [1])])
        #expect(told.1.taken() == [.update(modifications: [1])])
        try realm.write { realm.add(Dog(value: [3, "Ida"])) }
        #expect(told.0.taken() == [.update(insertions: [1])])
        #expect(told.1.taken() == [.update(insertions: [1])])
        withExtendedLifetime(tokens) {}
    }

    @Test("of projected collections are told by positions, of the projected property alone")
    func projectedCollections() throws {
        let realm = try Realm.empty()
        let person = Person()
        try realm.write {
            person.dogs.append(objectsIn: [Dog(value: [1, "Rex", 3]), Dog(value: [2, "Bo", 4])])
            realm.add(person)
        }
        let names = person.dogs.projectTo.name
        let lines = person.dogs.projectTo.summary
        let told = (
            Told<ProjectedCollection<String>>(), Told<ProjectedCollection<String>>()
        )
        let tokens = [names.observe { told.0.take($0) }, lines.observe { told.1.take($0) }]
        realm.refresh()
        #expect(told.0.taken() == [.initial] && told.1.taken() == [.initial])
        try realm.write { person.dogs[1].age = 5 }
        #expect(told.0.taken() == [] && told.1.taken() == [.update(modifications: [1])])
        try realm.write {
            person.dogs[1].name = "Ben"
            person.dogs.insert(Dog(value: [3, "Ida"]), at: 0)
        }
        #expect(told.0.taken() == [.update(insertions: [0], modifications: [1])])
        #expect(told.1.taken() == [.update(insertions: [0], modifications: [1])])
        try realm.write { person.dogs.remove(at: 1) }
        #expect(told.0.taken() == [.update([1])] && told.1.taken() == [.update([1])])
        withExtendedLifetime(tokens) {}
    }

    @Test("end the process: an unmanaged object, and a name that is none")
    func faults() async throws {
        let unmanaged = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = DogProjection(projecting: Dog()).observe { _ in }
        }
        #expect(
            unmanaged.message.contains(
                "Only objects which are managed by a Realm support change notifications"))
        let unknown = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm.empty()
            try realm.write { realm.add(Dog()) }
            _ = realm.objects(DogProjection.self)[0].observe(keyPaths: ["weight"]) { _ in }
        }
        #expect(
            unknown.message.contains(
                "property 'weight' not found in object of type 'DogProjection'"))
        let collection = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Person().dogs.projectTo.name.observe { _ in }
        }
        #expect(
            collection.message.contains(
                "This method may only be called on List instances retrieved from a Realm."))
    }
}
