import Foundation
import Holdfast
import Testing

@Suite("Sections")
struct SectionTests {
    private func kennel(_ name: String = #function) throws -> Realm {
        let realm = try Realm.empty(name)
        try realm.write {
            for (id, name) in ["Rex", "Bo", "Ida", "Ben", "Rolf", "Bo"].enumerated() {
                realm.add(Dog(value: ["id": id, "name": name, "age": id % 3]))
            }
        }
        return realm
    }

    private let byName = [SortDescriptor(keyPath: "name"), SortDescriptor(keyPath: "id")]

    @Test("by a key path stand in its order, and their elements in that of the results")
    func byKeyPath() throws {
        let dogs = try kennel().objects(Dog.self)
        let sections = dogs.sectioned(by: \.name)
        #expect(sections.allKeys == ["Ben", "Bo", "Ida", "Rex", "Rolf"])
        #expect(sections.count == 5 && sections[1].map(\.id) == [1, 5])
        let down = dogs.sectioned(by: \.age, ascending: false)
        #expect(down.allKeys == [2, 1, 0])
        #expect(down.map { $0.map(\.id) } == [[2, 5], [1, 4], [0, 3]])
        let sorted = dogs.sectioned(
            by: \.age,
            sortDescriptors: [
                SortDescriptor(keyPath: "age"), SortDescriptor(keyPath: "id", ascending: false),
            ])
        #expect(sorted.map { $0.map(\.id) } == [[3, 0], [4, 1], [5, 2]])
    }

    @Test("by a block stand in the order in which their keys first appear")
    func byBlock() throws {
        let dogs = try kennel().objects(Dog.self)
        let initials = dogs.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: byName)
        #expect(initials.allKeys == ["B", "I", "R"])
        #expect(
            initials.map { $0.map(\.name) } == [["Ben", "Bo", "Bo"], ["Ida"], ["Rex", "Rolf"]])
        // The sort says nothing of the keys.
        let lengths = dogs.sectioned(
            by: { $0.name.count }, sortDescriptors: [SortDescriptor(keyPath: "id")])
        #expect(lengths.allKeys == [3, 2, 4])
        #expect(lengths.map { $0.map(\.id) } == [[0, 2, 3], [1, 5], [4]])
    }

    @Test("are indexed by an index path of section and item")
    func indexPaths() throws {
        let sections = try kennel().objects(Dog.self).sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: byName)
        #expect(sections[IndexPath(item: 1, section: 2)].name == "Rolf")
        #expect(sections[IndexPath(row: 0, section: 1)].name == "Ida")
        var path = IndexPath(item: 1, section: 2)
        #expect(path.item == 1 && path.row == 1 && path.section == 2 && path == [2, 1])
        path.section = 0
        path.row = 2
        #expect(sections[path].id == 5)
    }

    @Test("are known by their keys, and live")
    func live() throws {
        let realm = try kennel()
        let sections = realm.objects(Dog.self).where { $0.id < 5 }.sectioned(by: \.name)
        let ida = sections[2]
        #expect(ida.key == "Ida" && ida.id == "Ida" && ida.count == 1)
        try realm.write {
            realm.add(Dog(value: [-1, "Ada"]))
            #expect(sections.allKeys.first == "Ada" && sections[3] == ida)
            ida[0].name = "Ina"
            #expect(ida.isEmpty)
        }
        #expect(sections.allKeys == ["Ada", "Ben", "Bo", "Ina", "Rex", "Rolf"] && ida.isEmpty)
        try realm.write { for section in [sections[0], sections[1]] { realm.delete(section) } }
        #expect(sections.allKeys == ["Bo", "Ina", "Rex", "Rolf"])
        try realm.write { for dog in sections[0] { dog.name = "Zoe" } }
        #expect(sections.allKeys == ["Ina", "Rex", "Rolf", "Zoe"] && sections[3][0].id == 1)
        #expect(sections.realm == realm && !sections.isInvalidated && !sections.isFrozen)
    }

    @Test("have keys of any type that can be stored and hashed, nil among them")
    func keyTypes() throws {
        let realm = try kennel()
        try realm.write {
            realm.objects(Dog.self)[0].age = nil
            for (id, balance) in [2, 1, Double.nan, 2, Double.nan].enumerated() {
                let dog = Dog(value: [10 + id])
                dog.weight = balance
                dog.mood = id % 2 == 0 ? .sad : .happy
                realm.add(dog)
            }
        }
        let dogs = realm.objects(Dog.self)
        #expect(dogs.sectioned(by: \.age).allKeys == [nil, 0, 1, 2])
        #expect(dogs.sectioned(by: \.mood).allKeys == [.happy, .sad])
        #expect(dogs.sectioned(by: \.formerMood).allKeys == [nil])
        let weights = dogs.where { $0.id >= 10 }.sectioned(by: \.weight)
        let ids: [[Int]] = weights.map { section in section.map(\.id) }
        let expected: Set<[Int]> = [[10, 13], [11], [12, 14]]
        #expect(Set(ids) == expected && ids.count == 3)
        let days = realm.objects(Dog.self).sectioned(
            by: { Date(timeIntervalSince1970: Double($0.id)) },
            sortDescriptors: [SortDescriptor(keyPath: "id")])
        #expect(days.count == 11 && days[10].key == Date(timeIntervalSince1970: 14))
        let mixed = dogs.sectioned(
            by: { $0.id == 0 ? AnyRealmValue.none : .int($0.id) },
            sortDescriptors: [SortDescriptor(keyPath: "id")])
        #expect(mixed.allKeys.prefix(2) == [.none, .int(1)])
    }

    @Test("of a path through a link have its values as keys")
    func links() throws {
        let realm = try kennel()
        try realm.write {
            let dogs = realm.objects(Dog.self)
            dogs[0].friend = dogs[1]
            dogs[2].friend = dogs[3]
        }
        let sections = realm.objects(Dog.self).sectioned(by: \.friend?.name)
        #expect(sections.allKeys == [nil, "Ben", "Bo"] && sections[2][0].id == 0)
    }

    @Test("are made of projections, by their own key paths and by blocks")
    func projections() throws {
        let dogs = try kennel().objects(DogProjection.self)
        let years = dogs.sectioned(by: \.years)
        #expect(years.allKeys == [0, 1, 2] && years[0].map(\.name) == ["Rex", "Ben"])
        let shouted = dogs.sectioned(by: { $0.shouted }, sortDescriptors: byName)
        #expect(shouted.allKeys == ["BEN", "BO", "IDA", "REX", "ROLF"])
    }

    @Test("are made of lists, sets, inverse links, and whatever stands for one of these")
    func collections() throws {
        let realm = try kennel()
        let person = Person()
        try realm.write {
            person.dogs.append(objectsIn: realm.objects(Dog.self).where { $0.id < 4 })
            person.tags.insert(objectsIn: ["b", "ab", "aa"])
            person.nicknames.append(objectsIn: ["Bo", nil, "Ada", "Ben"])
            person.former.append(Address(value: ["street": "Main", "city": "Bath"]))
            person.former.append(Address(value: ["street": "High", "city": "York"]))
            realm.add(person)
            realm.create(Person.self, value: ["name": "Ada", "dogs": [person.dogs[0]]])
        }
        let ofList = person.dogs.sectioned(by: \.age)
        #expect(ofList.map { $0.map(\.id) } == [[0, 3], [1], [2]])
        let ofOrigins = person.dogs[0].keepers.sectioned(by: \.name, ascending: false)
        #expect(ofOrigins.allKeys == ["Ada", ""])
        let ofAny = AnyRealmCollection(person.dogs).sectioned(
            by: { $0.name.count }, sortDescriptors: byName)
        #expect(ofAny.map { $0.map(\.name) } == [["Ben", "Ida", "Rex"], ["Bo"]])
        let ofSet = person.tags.sectioned(by: { $0.count })
        #expect(ofSet.allKeys == [2, 1] && Array(ofSet[0]) == ["aa", "ab"])
        let ofValues = person.nicknames.sectioned(by: { $0?.count }, ascending: false)
        #expect(ofValues.allKeys == [2, 3, nil] && Array(ofValues[1]) == ["Ben", "Ada"])
        let ofEmbedded = person.former.sectioned(by: \.city)
        #expect(ofEmbedded.map { $0.map(\.street) } == [["Main"], ["High"]])
        try realm.write {
            person.nicknames.append("Ida")
            person.dogs.removeLast()
        }
        #expect(Array(ofValues[0]) == ["Ida", "Ben", "Ada"] && ofValues.allKeys == [3, 2, nil])
        #expect(ofList.map { $0.map(\.id) } == [[0], [1], [2]])
    }

    @Test("are equal when they are the same sections of the same results")
    func equality() throws {
        let dogs = try kennel().objects(Dog.self)
        let sections = dogs.sectioned(by: \.age)
        let same = sections
        #expect(same == sections && sections != dogs.sectioned(by: \.age))
        #expect(sections[0] == same[0] && sections[0] != sections[1])
    }

    @Test("end the process without a sort, by another key, by a link, and beyond their end")
    func faults() async throws {
        let sort = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Realm.empty().objects(Dog.self).sectioned(by: { $0.name }, sortDescriptors: [])
        }
        #expect(
            sort.message.contains(
                "There must be at least one SortDescriptor when using SectionedResults."))
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Realm.empty().objects(Dog.self).sectioned(
                by: \.name, sortDescriptors: [SortDescriptor(keyPath: "age")])
        }
        #expect(
            other.message.contains(
                "The section key property must match the primary sort descriptor property."))
        let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Realm.empty().objects(Dog.self).sectioned(
                by: { $0.friend }, sortDescriptors: [SortDescriptor(keyPath: "id")])
        }
        #expect(link.message.contains("Links are not supported as section keys."))
        let mixed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            try realm.write { realm.add(Dog()) }
            _ =
                realm.objects(Dog.self).sectioned(
                    by: { AnyRealmValue.object($0) },
                    sortDescriptors: [SortDescriptor(keyPath: "id")]
                ).count
        }
        #expect(mixed.message.contains("Links are not supported as section keys."))
        let beyond = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let realm = try Realm.empty()
            try realm.write { realm.add(Dog()) }
            _ = realm.objects(Dog.self).sectioned(by: \.name)[3]
        }
        #expect(beyond.message.contains("Index 3 is out of bounds (must be less than 1)."))
        let item = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            try realm.write { realm.add(Dog()) }
            _ = realm.objects(Dog.self).sectioned(by: \.name)[IndexPath(item: 1, section: 0)]
        }
        #expect(item.message.contains("Index 1 is out of bounds (must be less than 1)."))
    }
}
