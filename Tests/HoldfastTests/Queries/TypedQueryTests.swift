import Foundation
import Holdfast
import Testing

@Suite("Typed queries")
struct TypedQueryTests {
    /// Dogs 1 to 6, of which each but the first is the friend of the next; persons have some of them.
    private static func realm() throws -> Realm {
        let realm = try Realm.empty("\(UUID())")
        try realm.write {
            let names = ["Rex", "Bo", "Ada", "rex", "Éva", "Bob"]
            var dogs: [Dog] = []
            for index in 1...6 {
                let dog = Dog()
                dog.id = index
                dog.name = names[index - 1]
                dog.age = index == 4 ? nil : index * 2
                dog.weight = Double(index) / 2
                dog.mood = index % 2 == 0 ? .sad : .happy
                dogs.append(dog)
            }
            for index in 1..<6 { dogs[index].friend = dogs[index - 1] }
            realm.add(dogs)
            realm.create(
                Person.self,
                value: [
                    "name": "Kim", "dogs": Array(dogs[0..<3]), "tags": ["a", "b"],
                    "marks": ["art": 1, "math": 5],
                ])
            realm.create(
                Person.self,
                value: ["name": "Lea", "dogs": [dogs[5]], "anything": AnyRealmValue.int(7)])
        }
        return realm
    }

    /// A condition, what it finds, and the text that finds the same.
    private static let dogs: [(condition: @Sendable (Query<Dog>) -> Query<Bool>, ids: [Int])] = [
        ({ $0.age == 4 }, [2]),
        ({ $0.age == nil }, [4]),
        ({ $0.age != nil && $0.age > 8 }, [5, 6]),
        ({ $0.weight >= 1.5 && $0.weight < 2.5 }, [3, 4]),
        ({ $0.weight.contains(1.0...2.0) }, [2, 3, 4]),
        ({ $0.weight.contains(1.0..<2.0) }, [2, 3]),
        ({ $0.name.in(["Rex", "Bo", "nobody"]) }, [1, 2]),
        ({ $0.name.starts(with: "B") }, [2, 6]),
        ({ $0.name.equals("REX", options: .caseInsensitive) }, [1, 4]),
        (
            { $0.name.contains("e", options: [.caseInsensitive, .diacriticInsensitive]) },
            [1, 4, 5]
        ),
        ({ $0.name.like("?o*") }, [2, 6]),
        ({ $0.name.ends(with: "x") || !($0.id < 6) }, [1, 4, 6]),
        ({ $0.mood == .sad }, [2, 4, 6]),
        ({ $0.mood.rawValue == "happy" }, [1, 3, 5]),
        ({ $0.friend.name == "Rex" }, [2]),
        ({ $0.friend.friend == nil && $0.id > 1 }, [2]),
        ({ $0.keepers.count == 0 }, [4, 5]),
        ({ $0.keepers.name == "Kim" }, [1, 2, 3]),
    ]

    @Test("find what they say", arguments: dogs.indices)
    func finds(index: Int) throws {
        let realm = try Self.realm()
        let (condition, ids) = Self.dogs[index]
        #expect(Array(realm.objects(Dog.self).where(condition).map(\.id)) == ids)
    }

    @Test("look into collections")
    func collections() throws {
        let people = try Self.realm().objects(Person.self)
        func names(_ condition: (Query<Person>) -> Query<Bool>) -> [String] {
            people.where(condition).map(\.name).sorted()
        }
        #expect(names { $0.dogs.count == 3 } == ["Kim"])
        #expect(names { $0.dogs.age > 10 } == ["Lea"])
        #expect(names { ($0.dogs.age > 2).count >= 2 } == ["Kim"])
        #expect(names { ($0.dogs.age > 2 && $0.dogs.name == "Bo").count == 1 } == ["Kim"])
        #expect(names { $0.dogs.age.max == 6 } == ["Kim"])
        #expect(names { $0.dogs.age.sum > 11 } == ["Kim", "Lea"])
        #expect(names { $0.tags.contains("a") } == ["Kim"])
        #expect(names { $0.tags.containsAny(in: ["x", "b"]) } == ["Kim"])
        #expect(names { $0.marks["art"] == 1 } == ["Kim"])
        #expect(names { $0.marks.keys == "math" } == ["Kim"])
        #expect(names { $0.marks.values > 4 } == ["Kim"])
        #expect(names { $0.anything == .int(7) } == ["Lea"])
    }

    @Test("are ordered, made distinct, aggregated and searched for positions")
    func orders() throws {
        let dogs = try Self.realm().objects(Dog.self)
        #expect(Array(dogs.sorted(by: \.name, ascending: false).map(\.id)) == [5, 4, 1, 6, 2, 3])
        #expect(
            Array(dogs.sorted(by: [SortDescriptor(keyPath: \Dog.mood), "name"]).map(\.id)) == [
                3, 1, 5, 2, 6, 4,
            ])
        #expect(Array(dogs.distinct(by: [\.mood]).map(\.id)) == [1, 2])
        #expect(dogs.max(of: \.age) == 12 && dogs.min(of: \.weight) == 0.5)
        #expect(dogs.sum(of: \.id) == 21 && dogs.average(of: \.id) == 3.5)
        #expect(dogs.where { $0.id > 100 }.sum(of: \.id) == 0)
        #expect(dogs.where { $0.id > 100 }.max(of: \.id) == nil)
        let bo = try #require(dogs.where { $0.name == "Bo" }.first)
        #expect(dogs.index(of: bo) == 1)
        #expect(dogs.index(matching: { $0.name == "Ada" }) == 2)
        #expect(dogs.index(matching: "name == $0", "Bob") == 5)
    }

    @Test("of a text from outside are refused with the column and what to do")
    func validating() throws {
        let dogs = try Self.realm().objects(Dog.self)
        let error = #expect(throws: InvalidQuery.self) {
            try dogs.filter(validating: "nmae == 'x'")
        }
        #expect(error?.column == 1 && error?.hint != nil)
        #expect(try dogs.filter(validating: "name == $0", "Bo").count == 1)
    }
}
