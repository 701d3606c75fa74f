import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

@Suite("Writes whose changes leave memory")
struct LargeWriteTests {
    private struct Stop: Error {}

    /// Runs a test on a realm whose writes have at most so many bytes in memory.
    private func withRealm(
        byteCountMax: Int = 0, _ body: (Realm) throws -> Void
    ) throws {
        let directory = TemporaryDirectory()
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path + "/large.realm"),
            objectTypes: [Dog.self, Address.self, Person.self, Note.self])
        let limited = try LimitedStore(configuration, byteCountMax: byteCountMax)
        defer { limited.close() }
        try body(try Realm(configuration: configuration))
    }

    @Test("objects, lists and iterations go on as if they had not")
    func objects() throws {
        try withRealm { realm in
            let keeper = Person()
            let first = Dog(value: [0, "dog 0"])
            try realm.write {
                realm.add(keeper)
                realm.add(first)
                for id in 1..<300 {
                    realm.add(Dog(value: [id, "dog \(id)"]))
                    keeper.dogs.append(first)
                    keeper.marks["mark \(id)"] = id
                }
                #expect(first.name == "dog 0" && first.keepers.first == keeper)
                for dog in realm.objects(Dog.self).where({ $0.id < 100 }) {
                    dog.age = (dog.age ?? 0) + dog.id
                    dog.friend = first
                }
                for dog in keeper.dogs.prefix(3) { dog.weight += 1 }
                realm.delete(realm.objects(Dog.self).where { $0.id > 200 })
                #expect(keeper.dogs.count == 299 && keeper.marks["mark 7"] == 7)
                #expect(realm.objects(Dog.self).filter("age == 99").first?.friend == first)
            }
            #expect(realm.objects(Dog.self).count == 201)
            #expect(realm.objects(Dog.self).sum(of: \.age) == 4950)
            #expect(first.weight == 3 && keeper.marks.count == 299)
        }
    }

    @Test("observers are told them by exact indices, with the values before and after")
    func observers() throws {
        try withRealm { realm in
            try realm.write { for id in 0..<5 { realm.add(Dog(value: [id, "dog \(id)"])) } }
            let dogs = realm.objects(Dog.self)
            let told = Told<Results<Dog>>()
            let token = dogs.observe { told.take($0) }
            let toldOfDog = ToldOfObject()
            let dogToken = dogs[3].observe { toldOfDog.take($0) }
            realm.refresh()
            _ = told.taken()
            let dog = dogs[3]
            try realm.write {
                realm.delete(dogs[1])
                dog.name = "between"
                realm.add(Dog(value: [9]))
                dog.name = "other"
                realm.add(Dog(value: [10]))
            }
            #expect(told.taken() == [.update([1], insertions: [4, 5], modifications: [3])])
            #expect(toldOfDog.taken() == ["name: dog 3 → other"])
            _ = (token, dogToken)
        }
    }

    @Test("a cancel, a thrown error and a fault of a value take all of them back")
    func cancelling() throws {
        try withRealm { realm in
            let dog = Dog(value: [0, "dog"])
            try realm.write { realm.add(dog) }
            func change() -> Dog {
                for id in 1..<50 { realm.add(Dog(value: [id])) }
                dog.name = "other"
                let last = realm.create(Dog.self, value: [99])
                #expect(realm.objects(Dog.self).count == 51)
                return last
            }
            realm.beginWrite()
            let cancelled = change()
            realm.cancelWrite()
            #expect(cancelled.isInvalidated)
            #expect(throws: Stop.self) {
                try realm.write {
                    _ = change()
                    throw Stop()
                }
            }
            #expect(throws: ValueFault.self) {
                try realm.write {
                    _ = change()
                    realm.add(Dog(value: [0]))
                }
            }
            #expect(realm.objects(Dog.self).count == 1 && dog.name == "dog")
            try realm.write { _ = change() }
            #expect(realm.objects(Dog.self).count == 51 && dog.name == "other")
        }
    }
}
