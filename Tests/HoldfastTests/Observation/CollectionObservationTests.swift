import Foundation
import Holdfast
import Testing

@Suite("Observers of collections")
struct CollectionObservationTests {
    @Test(
        "are told the collection first, then deletions and modifications by old and insertions by new indices"
    )
    func results() throws {
        let realm = try Realm.empty()
        try realm.write { for id in 0..<5 { realm.add(Dog(value: [id, "dog \(id)"])) } }
        let dogs = realm.objects(Dog.self)
        let told = Told<Results<Dog>>()
        let token = dogs.observe { told.take($0) }
        #expect(told.taken() == [])
        realm.refresh()
        #expect(told.taken() == [.initial])
        realm.refresh()
        #expect(told.taken() == [])
        try realm.write {
            realm.delete(dogs[1])
            dogs[2].name = "other"
            realm.add(Dog(value: [9]))
        }
        #expect(told.taken() == [.update([1], insertions: [4], modifications: [3])])
        token.invalidate()
        try realm.write { realm.deleteAll() }
        #expect(told.taken() == [])
    }

    @Test(
        "are told by a write's begin of what there was before it, and by its commit of what it did")
    func initialByWrite() throws {
        let realm = try Realm.empty()
        let told = Told<Results<Dog>>()
        var counts: [Int] = []
        let token = realm.objects(Dog.self).observe { change in
            told.take(change)
            if case .initial(let dogs) = change { counts.append(dogs.count) }
        }
        try realm.write { realm.add(Dog(value: [1])) }
        #expect(told.taken() == [.initial, .update(insertions: [0])])
        #expect(counts == [0])
        _ = token
    }

    @Test("are told one write as one change, and only what differs in the end")
    func coalesced() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1, "a"])
        try realm.write { realm.add(dog) }
        let told = Told<Results<Dog>>()
        let token = realm.objects(Dog.self).observe { told.take($0) }
        realm.refresh()
        _ = told.taken()
        try realm.write {
            dog.name = "b"
            _ = realm.objects(Dog.self).count
            dog.name = "a"
            let other = Dog(value: [2])
            realm.add(other)
            realm.delete(other)
        }
        #expect(told.taken() == [])
        try realm.write {
            dog.name = "b"
            dog.age = 3
        }
        #expect(told.taken() == [.update(modifications: [0])])
        realm.beginWrite()
        dog.name = "c"
        realm.cancelWrite()
        realm.refresh()
        #expect(told.taken() == [])
        try realm.write {}
        #expect(told.taken() == [])
        _ = token
    }

    @Test("of filtered and sorted results are told of objects that enter, leave and move")
    func sorted() throws {
        let realm = try Realm.empty()
        try realm.write {
            for id in 0..<6 { realm.add(Dog(value: ["id": id, "age": id * 10])) }
        }
        let dogs = realm.objects(Dog.self).filter("age >= 20").sorted(
            byKeyPath: "age", ascending: false)
        let told = Told<Results<Dog>>()
        let token = dogs.observe { told.take($0) }
        realm.refresh()
        _ = told.taken()
        func age(_ id: Int, _ age: Int?) throws {
            try realm.write { realm.object(ofType: Dog.self, forPrimaryKey: id)?.age = age }
        }
        // 50 40 30 20
        try age(0, 35)
        #expect(told.taken() == [.update(insertions: [2])])
        try age(5, 10)
        #expect(told.taken() == [.update([0])])
        // 40 35 30 20
        try age(4, 25)
        #expect(told.taken() == [.update([0], insertions: [2])])
        // 35 30 25 20: an object whose neighbours stay the same has not moved.
        try age(3, 31)
        #expect(told.taken() == [.update(modifications: [1])])
        try age(1, 11)
        #expect(told.taken() == [])
        _ = token
    }

    @Test("of results with a limit, a distinct or a sort behind links are told by indices, too")
    func compared() throws {
        let realm = try Realm.empty()
        try realm.write {
            for id in 0..<4 { realm.add(Dog(value: ["id": id, "age": id, "name": "n\(id % 2)"])) }
        }
        let dogs = realm.objects(Dog.self)
        let limited = Told<Results<Dog>>()
        let distinct = Told<Results<Dog>>()
        let linked = Told<Results<Dog>>()
        let tokens = [
            dogs.filter("TRUEPREDICATE SORT(age DESC) LIMIT(2)").observe { limited.take($0) },
            dogs.distinct(by: ["name"]).observe { distinct.take($0) },
            dogs.sorted(byKeyPath: "friend.name").observe { linked.take($0) },
        ]
        realm.refresh()
        #expect(limited.taken() == [.initial] && distinct.taken() == [.initial])
        try realm.write { dogs[0].age = 10 }
        #expect(limited.taken() == [.update([1], insertions: [0])])
        #expect(distinct.taken() == [.update(modifications: [0])])
        _ = linked.taken()
        try realm.write { dogs[1].friend = dogs[2] }
        #expect(linked.taken() == [.update([1], insertions: [3])])
        try realm.write { dogs[2].friend = dogs[1] }
        // The first one leads to the second.
        #expect(linked.taken() == [.update([1], insertions: [3], modifications: [3])])
        withExtendedLifetime(tokens) {}
    }

    @Test("of lists are told of elements that came, went, moved and were replaced")
    func lists() throws {
        let realm = try Realm.empty()
        let person = Person()
        person.nicknames.append(objectsIn: ["a", "b", nil, "d"])
        try realm.write { realm.add(person) }
        let told = Told<List<String?>>()
        let token = person.nicknames.observe { told.take($0) }
        realm.refresh()
        _ = told.taken()
        try realm.write {
            person.nicknames.remove(at: 0)
            person.nicknames.append("e")
            person.nicknames[0] = "x"
        }
        #expect(told.taken() == [.update([0], insertions: [3], modifications: [1])])
        try realm.write { person.nicknames.move(from: 0, to: 3) }
        #expect(told.taken() == [.update([0], insertions: [3])])
        try realm.write { person.name = "other" }
        #expect(told.taken() == [])
        try realm.write { realm.delete(person) }
        #expect(told.taken() == [.update([0, 1, 2, 3])])
        #expect(person.nicknames.isInvalidated)
        try realm.write { realm.add(Person()) }
        #expect(told.taken() == [])
        _ = token
    }

    @Test("of lists and sets of objects and of linking objects are told of changes of the objects")
    func links() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1])
        let person = Person()
        person.dogs.append(objectsIn: [dog, Dog(value: [2]), dog])
        person.tags.insert(objectsIn: ["b", "d"])
        try realm.write { realm.add(person) }
        let dogs = Told<List<Dog>>()
        let any = Told<AnyRealmCollection<Dog>>()
        let keepers = Told<LinkingObjects<Person>>()
        let tags = Told<MutableSet<String>>()
        let tokens = [
            person.dogs.observe { dogs.take($0) },
            AnyRealmCollection(person.dogs).observe { any.take($0) },
            dog.keepers.observe { keepers.take($0) }, person.tags.observe { tags.take($0) },
        ]
        realm.refresh()
        #expect(dogs.taken() == [.initial] && keepers.taken() == [.initial])
        #expect(tags.taken() == [.initial] && any.taken() == [.initial])
        try realm.write { dog.name = "other" }
        #expect(dogs.taken() == [.update(modifications: [0, 2])])
        #expect(any.taken() == [.update(modifications: [0, 2])])
        // The origins lead to the dog.
        #expect(keepers.taken() == [.update(modifications: [0, 1])])
        try realm.write { person.dogs.remove(at: 0) }
        #expect(dogs.taken() == [.update([0])])
        #expect(keepers.taken() == [.update([1], modifications: [0])])
        try realm.write { realm.delete(dog) }
        #expect(dogs.taken() == [.update([1])])
        #expect(keepers.taken() == [.update([0])])
        try realm.write {
            person.tags.insert("c")
            person.tags.remove("b")
        }
        #expect(tags.taken() == [.update([0], insertions: [0])])
        withExtendedLifetime(tokens) {}
    }

    @Test("of results that are taken from a collection are told by the indices in them")
    func selections() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: ["id": 1, "age": 5])
        let person = Person()
        person.dogs.append(objectsIn: [dog, Dog(value: ["id": 2, "age": 1]), dog])
        person.tags.insert(objectsIn: ["b", "a"])
        try realm.write { realm.add(person) }
        let old = Told<Results<Dog>>()
        let tags = Told<Results<String>>()
        let tokens = [
            person.dogs.where { $0.age > 2 }.observe { old.take($0) },
            person.tags.sorted(ascending: false).observe { tags.take($0) },
        ]
        realm.refresh()
        #expect(old.taken() == [.initial] && tags.taken() == [.initial])
        try realm.write { dog.name = "other" }
        #expect(old.taken() == [.update(modifications: [0, 1])])
        try realm.write { person.dogs[1].age = 3 }
        #expect(old.taken() == [.update(insertions: [1])])
        try realm.write { person.dogs.remove(at: 0) }
        #expect(old.taken() == [.update([1, 2], insertions: [0])])
        try realm.write {
            person.tags.remove("b")
            person.tags.insert("0")
        }
        #expect(tags.taken() == [.update([0], insertions: [1])])
        withExtendedLifetime(tokens) {}
    }

    @Test("read the elements of a call without another query, and inside a write what that changes")
    func elements() throws {
        let realm = try Realm.empty()
        try realm.write { for id in 0..<5 { realm.add(Dog(value: ["id": id, "age": id])) } }
        let dogs = realm.objects(Dog.self).sorted(byKeyPath: "age", ascending: false)
        var seen: [[Int]] = []
        let token = dogs.observe { change in
            switch change {
            case .initial(let dogs): seen.append([dogs.count, dogs[0].id])
            case .update(let dogs, _, let insertions, _):
                seen.append(insertions.map { dogs[$0].id } + [dogs.count])
                seen.append(dogs.map(\.id))
            case .error: break
            }
        }
        realm.refresh()
        try realm.write {
            dogs[4].age = 10
            #expect(dogs.first?.id == 0)
        }
        #expect(seen == [[5, 4], [0, 5], [0, 4, 3, 2, 1]])
        _ = token
    }

    @Test("of lists of embedded objects are told of changes within them")
    func embedded() throws {
        let realm = try Realm.empty()
        let person = Person(value: ["former": [["street": "a"], ["street": "b"]]])
        try realm.write { realm.add(person) }
        let told = Told<List<Address>>()
        let cities = Told<List<Address>>()
        let tokens = [
            person.former.observe { told.take($0) },
            person.former.observe(keyPaths: [\.city]) { cities.take($0) },
        ]
        realm.refresh()
        _ = (told.taken(), cities.taken())
        try realm.write { person.former[1].street = "c" }
        #expect(told.taken() == [.update(modifications: [1])])
        #expect(cities.taken() == [])
        try realm.write { person.former[0].city = "Rome" }
        #expect(told.taken() == [.update(modifications: [0])])
        #expect(cities.taken() == [.update(modifications: [0])])
        withExtendedLifetime(tokens) {}
    }

    @Test("who write in a call are told of that, too, and of what they missed as one change")
    func nested() throws {
        let realm = try Realm.empty()
        let first = Told<Results<Dog>>()
        let second = Told<Results<Dog>>()
        let dogs = realm.objects(Dog.self)
        let tokens = [
            dogs.observe { change in
                first.take(change)
                if dogs.count == 1 { try? realm.write { realm.add(Dog(value: [2])) } }
            },
            dogs.observe { second.take($0) },
        ]
        realm.refresh()
        _ = (first.taken(), second.taken())
        try realm.write { realm.add(Dog(value: [1])) }
        #expect(first.taken() == [.update(insertions: [0]), .update(insertions: [1])])
        #expect(second.taken() == [.update(insertions: [0]), .update(insertions: [1])])
        withExtendedLifetime(tokens) {}
    }

    @Test("of a write without notifying them are not told of it, and then by indices that hold")
    func silenced() throws {
        let realm = try Realm.empty()
        let told = Told<Results<Dog>>()
        let other = Told<Results<Dog>>()
        let token = realm.objects(Dog.self).observe { told.take($0) }
        let otherToken = realm.objects(Dog.self).observe { other.take($0) }
        realm.refresh()
        _ = (told.taken(), other.taken())
        try realm.write(withoutNotifying: [token]) { realm.add(Dog(value: [1])) }
        #expect(told.taken() == [])
        #expect(other.taken() == [.update(insertions: [0])])
        try realm.write { realm.add(Dog(value: [2])) }
        #expect(told.taken() == [.update(insertions: [1])])
        _ = otherToken
    }
}
