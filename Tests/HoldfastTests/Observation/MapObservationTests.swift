import Holdfast
import Testing

@Suite("Observers of maps")
struct MapObservationTests {
    private final class ToldOfMap {
        private var lines: [String] = []
        func take<M: RealmKeyedCollection>(_ change: RealmMapChange<M>) where M.Key == String {
            switch change {
            case .initial: lines.append("initial")
            case .update(_, let deletions, let insertions, let modifications):
                lines.append("-\(deletions) +\(insertions) ~\(modifications)")
            case .error(let error): lines.append("\(error)")
            }
        }
        func taken() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    @Test("are told the keys that went, came and have other values")
    func keys() throws {
        let realm = try Realm.empty()
        let person = Person(value: ["marks": ["a": 1, "b": 2, "c": 3]])
        try realm.write { realm.add(person) }
        let told = ToldOfMap()
        let token = person.marks.observe { told.take($0) }
        realm.refresh()
        #expect(told.taken() == ["initial"])
        try realm.write {
            person.marks["a"] = nil
            person.marks["b"] = 5
            person.marks["d"] = 4
            person.marks["c"] = 3
        }
        #expect(told.taken() == [#"-["a"] +["d"] ~["b"]"#])
        try realm.write { person.name = "x" }
        #expect(told.taken() == [])
        try realm.write(withoutNotifying: [token]) { person.marks["e"] = 1 }
        #expect(told.taken() == [])
        try realm.write { realm.delete(person) }
        #expect(told.taken() == [#"-["b", "c", "d", "e"] +[] ~[]"#])
    }

    @Test("and lists within a mixed value are told of what changes in them")
    func nested() throws {
        let realm = try Realm.empty()
        let person = Person()
        person.anything = .fromDictionary([
            "list": .fromArray([.int(1), .int(2)]), "map": .fromDictionary(["a": .int(1)]),
        ])
        try realm.write { realm.add(person) }
        guard let outer = person.anything.dictionaryValue,
            let list = outer["list"]?.listValue, let map = outer["map"]?.dictionaryValue
        else {
            Issue.record("\(person.anything)")
            return
        }
        let told = ToldOfMap()
        let toldList = Told<List<AnyRealmValue>>()
        let tokens = [map.observe { told.take($0) }, list.observe { toldList.take($0) }]
        realm.refresh()
        #expect(told.taken() == ["initial"] && toldList.taken() == [.initial])
        try realm.write {
            map["b"] = .int(2)
            map["a"] = nil
        }
        #expect(told.taken() == [#"-["a"] +["b"] ~[]"#] && toldList.taken() == [])
        try realm.write {
            list[0] = .string("x")
            list.append(.none)
        }
        #expect(told.taken() == [])
        #expect(toldList.taken() == [.update(insertions: [2], modifications: [0])])
        withExtendedLifetime(tokens) {}
    }

    @Test("are told of changes of objects that are values, and of values that became nil")
    func objects() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1])
        let person = Person()
        person.pets["x"] = dog
        person.pets["y"] = Dog(value: [2])
        try realm.write { realm.add(person) }
        let told = ToldOfMap()
        let ages = ToldOfMap()
        let tokens = [
            person.pets.observe { told.take($0) },
            AnyRealmKeyedCollection(person.pets).observe(keyPaths: ["age"]) { ages.take($0) },
        ]
        realm.refresh()
        _ = (told.taken(), ages.taken())
        try realm.write { dog.name = "other" }
        #expect(told.taken() == [#"-[] +[] ~["x"]"#] && ages.taken() == [])
        try realm.write { dog.age = 5 }
        #expect(told.taken() == [#"-[] +[] ~["x"]"#] && ages.taken() == [#"-[] +[] ~["x"]"#])
        try realm.write { realm.delete(dog) }
        #expect(told.taken() == [#"-[] +[] ~["x"]"#] && ages.taken() == [#"-[] +[] ~["x"]"#])
        withExtendedLifetime(tokens) {}
    }
}
