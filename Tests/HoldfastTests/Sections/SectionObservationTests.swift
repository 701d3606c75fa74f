import Foundation
import Holdfast
import Testing

/// What an observer of sections was told, a line for each call.
private final class ToldOfSections {
    private var lines: [String] = []

    func take(_ change: SectionedResultsChange<some Any>) {
        switch change {
        case .initial: lines.append("initial")
        case .update(_, let deletions, let insertions, let modifications, let came, let went):
            lines.append(
                [
                    Self.text("-", deletions), Self.text("+", insertions),
                    Self.text("~", modifications),
                    came.isEmpty ? [] : ["new \(came.map { $0 })"],
                    went.isEmpty ? [] : ["gone \(went.map { $0 })"],
                ].joined().joined(separator: " "))
        }
    }

    private static func text(_ sign: String, _ paths: [IndexPath]) -> [String] {
        paths.map { "\(sign)\($0.section).\($0.item)" }
    }

    func taken() -> [String] {
        defer { lines = [] }
        return lines
    }
}

@Suite("Observers of sections")
struct SectionObservationTests {
    private func kennel(_ name: String = #function) throws -> Realm {
        let realm = try Realm.empty(name)
        try realm.write {
            for (id, name) in ["Rex", "Bo", "Ida", "Ben", "Rolf"].enumerated() {
                realm.add(Dog(value: ["id": id, "name": name, "age": id]))
            }
        }
        return realm
    }

    private func initials(_ realm: Realm) -> SectionedResults<String, Dog> {
        realm.objects(Dog.self).sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
    }

    @Test("are told positions before of what went and changed, and after of what came")
    func changes() throws {
        let realm = try kennel()
        let dogs = realm.objects(Dog.self)
        let sections = initials(realm)
        let told = ToldOfSections()
        let token = sections.observe { told.take($0) }
        realm.refresh()
        #expect(told.taken() == ["initial"])
        try realm.write { dogs[1].age = 9 }
        #expect(told.taken() == ["~0.1"])
        // Ben comes to stand behind Bo.
        try realm.write { dogs[3].name = "Buddy" }
        #expect(told.taken() == ["-0.0 +0.1"])
        try realm.write {
            dogs[0].name = "Ilse"
            dogs[4].age = 10
        }
        #expect(told.taken() == ["-2.0 +1.1 ~2.1"])
        try realm.write { dogs[4].age = 10 }
        #expect(told.taken() == [])
        withExtendedLifetime(token) {}
    }

    @Test("are told of sections that come, go and move, with what comes in them")
    func sections() throws {
        let realm = try kennel()
        let dogs = realm.objects(Dog.self)
        let token: NotificationToken
        let told = ToldOfSections()
        let sections = initials(realm)
        token = sections.observe { told.take($0) }
        realm.refresh()
        try realm.write { realm.add(Dog(value: [9, "Zoe"])) }
        #expect(told.taken() == ["initial", "+3.0 new [3]"])
        try realm.write { realm.delete(dogs.filter("name == 'Ida'")) }
        #expect(told.taken() == ["gone [1]"])
        try realm.write {
            realm.delete(dogs.filter("name BEGINSWITH 'B'"))
            realm.add(Dog(value: [10, "Ada"]))
        }
        #expect(told.taken() == ["+0.0 new [0] gone [0]"])
        let lengths = dogs.sectioned(by: { $0.name.count }, sortDescriptors: ["age"])
        let moved = ToldOfSections()
        let other = lengths.observe { moved.take($0) }
        realm.refresh()
        #expect(lengths.allKeys == [3, 4])
        try realm.write { for dog in lengths[0] { dog.age = 99 } }
        #expect(lengths.allKeys == [4, 3])
        #expect(moved.taken().last?.contains("new") ?? false)
        withExtendedLifetime((token, other)) {}
    }

    @Test("of one section are told of its own elements alone, wherever it stands")
    func oneSection() throws {
        let realm = try kennel()
        let dogs = realm.objects(Dog.self)
        let sections = initials(realm)
        let ofI = sections[1]
        let told = ToldOfSections()
        let token = ofI.observe { told.take($0) }
        realm.refresh()
        #expect(told.taken() == ["initial"])
        try realm.write { dogs[1].age = 9 }
        #expect(told.taken() == [])
        try realm.write { realm.add(Dog(value: [9, "Ada"])) }
        #expect(told.taken() == [] && sections[2] == ofI)
        try realm.write { dogs.filter("name == 'Ida'").first?.age = 30 }
        #expect(told.taken() == ["~2.0"])
        try realm.write { realm.add(Dog(value: [10, "Ian"])) }
        #expect(told.taken() == ["+2.0"])
        try realm.write { realm.delete(ofI) }
        #expect(told.taken() == ["gone [2]"] && ofI.isEmpty)
        try realm.write { realm.add(Dog(value: [11, "Ina"])) }
        #expect(told.taken() == ["+2.0 new [2]"] && ofI.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test("with key paths are told those changes alone, and always what comes, goes and moves")
    func keyPaths() throws {
        let realm = try kennel()
        let dogs = realm.objects(Dog.self)
        let sections = dogs.sectioned(by: \.name)
        let told = (ToldOfSections(), ToldOfSections())
        let tokens = [
            sections.observe(keyPaths: ["age"]) { told.0.take($0) },
            sections.observe(keyPaths: [\.age]) { told.1.take($0) },
        ]
        realm.refresh()
        try realm.write {
            dogs[0].age = 9
            dogs[1].weight = 2
        }
        #expect(told.0.taken() == ["initial", "~3.0"] && told.1.taken() == ["initial", "~3.0"])
        // The key has changed, though nothing moves.
        try realm.write { dogs[2].name = "Ina" }
        #expect(told.0.taken() == ["+2.0 new [2] gone [2]"])
        withExtendedLifetime(tokens) {}
    }

    @Test("are not told of a write without notifying them")
    func silenced() throws {
        let realm = try kennel()
        let sections = initials(realm)
        let told = ToldOfSections()
        let token = sections.observe { told.take($0) }
        realm.refresh()
        try realm.write(withoutNotifying: [token]) { realm.add(Dog(value: [9, "Zoe"])) }
        #expect(told.taken() == ["initial"])
        try realm.write { realm.add(Dog(value: [10, "Zac"])) }
        #expect(told.taken() == ["+3.0"])
        token.invalidate()
        try realm.write { realm.add(Dog(value: [11, "Zed"])) }
        #expect(told.taken() == [])
    }

    @Test("of a list, of values and of projections are told alike")
    func collections() throws {
        let realm = try kennel()
        let dogs = realm.objects(Dog.self)
        let person = Person()
        try realm.write {
            person.dogs.append(objectsIn: dogs)
            person.tags.insert(objectsIn: ["a", "b", "cc"])
            realm.add(person)
        }
        let told = (ToldOfSections(), ToldOfSections(), ToldOfSections())
        let tokens = [
            person.dogs.sectioned(by: \.name).observe { told.0.take($0) },
            person.tags.sectioned(by: { $0.count }).observe { told.1.take($0) },
            realm.objects(DogProjection.self).sectioned(by: \.name).observe { told.2.take($0) },
        ]
        realm.refresh()
        try realm.write {
            person.dogs.remove(at: 0)
            person.tags.insert("aa")
            dogs[1].weight = 3
        }
        #expect(told.0.taken() == ["initial", "~1.0 gone [3]"])
        #expect(told.1.taken() == ["initial", "+1.0"])
        #expect(told.2.taken() == ["initial"])
        try realm.write { dogs[1].age = 3 }
        #expect(told.0.taken() == ["~1.0"] && told.1.taken() == [] && told.2.taken() == ["~1.0"])
        withExtendedLifetime(tokens) {}
    }
}
