import Foundation
import Holdfast
import Testing

@Suite("Writes of a realm")
struct WriteTests {
    @Test(
        "that are cancelled leave what a query read of their objects invalid, whoever takes the keys"
    )
    func cancelledObjects() throws {
        let realm = try Realm.empty()
        realm.beginWrite()
        realm.add(Note())
        let seen = try #require(realm.objects(Note.self).first)
        realm.cancelWrite()
        try realm.write { realm.add(Note()) }
        #expect(seen.isInvalidated && realm.objects(Note.self).count == 1)
    }

    @Test("return what their block returns, and know whether they are under way")
    func results() throws {
        let realm = try Realm.empty()
        let dog = try realm.write {
            #expect(realm.isInWriteTransaction)
            return realm.create(Dog.self, value: ["id": 1])
        }
        #expect(dog.id == 1 && dog.realm == realm && !realm.isInWriteTransaction)
        realm.beginWrite()
        dog.name = "Bo"
        realm.cancelWrite()
        #expect(dog.name == "Rex" && !realm.isInWriteTransaction)
        realm.beginWrite()
        dog.name = "Bo"
        try realm.commitWrite()
        #expect(dog.name == "Bo")
    }

    @Test("that are rolled back invalidate what was added in them")
    func rollsBack() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1])
        realm.beginWrite()
        realm.add(dog)
        #expect(!dog.isInvalidated)
        realm.cancelWrite()
        #expect(dog.isInvalidated && realm.isEmpty)
    }

    @Test("that a block has ended by itself are not ended again")
    func endedByBlock() throws {
        let realm = try Realm.empty()
        try realm.write {
            realm.add(Dog(value: [1]))
            try realm.commitWrite()
        }
        try realm.write {
            realm.add(Dog(value: [2]))
            realm.cancelWrite()
        }
        #expect(realm.objects(Dog.self).map(\.id) == [1])
    }

    @Test("fail for objects that can't be added, and nothing of them remains")
    func refusedAdds() throws {
        let realm = try Realm.empty()
        let other = try Realm.empty("other")
        let foreign = Dog(value: [1])
        try other.write { other.add(foreign) }
        func message(_ body: () -> Void) -> String? {
            #expect(throws: ValueFault.self) {
                try realm.write {
                    realm.add(Dog(value: [7]))
                    body()
                }
            }?.message
        }
        let elsewhere =
            "Object is already managed by another Realm. Use create instead to copy it into this Realm."
        #expect(message { realm.add(foreign) } == elsewhere)
        let friend = Dog(value: [2])
        friend.friend = foreign
        #expect(message { realm.add(friend) } == elsewhere)
        let gone = Dog(value: [3])
        try realm.write { realm.add(gone) }
        try realm.write { realm.delete(gone) }
        #expect(
            message { realm.add(gone) }
                == "Adding a deleted or invalidated object to a Realm is not permitted")
        for policy in [Realm.UpdatePolicy.modified, .all] {
            #expect(
                message { realm.add(Note(), update: policy) }
                    == "'Note' does not have a primary key and can not be updated")
            #expect(
                message { realm.create(Note.self, update: policy) }
                    == "'Note' does not have a primary key and can not be updated")
        }
        #expect(
            message { realm.delete(foreign) }
                == "Can only delete an object from the Realm it belongs to.")
        #expect(
            message { realm.delete(Dog()) }
                == "Can only delete an object from the Realm it belongs to.")
        #expect(realm.isEmpty && other.objects(Dog.self).count == 1)
    }

    @Test("take what is managed by the realm already as it is")
    func addsTwice() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1])
        try realm.write {
            realm.add(dog)
            dog.name = "Bo"
            realm.add(dog)
            realm.add([dog, dog], update: .all)
        }
        #expect(realm.objects(Dog.self).map(\.name) == ["Bo"])
    }

    @Test("that have not begun can't be ended, and other mistakes end the process")
    func mistakes() async {
        let commit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            try Realm.empty().commitWrite()
        }
        #expect(commit.message.contains("Can't commit a non-existing write transaction"))
        let cancel = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            try Realm.empty().cancelWrite()
        }
        #expect(cancel.message.contains("Can't cancel a non-existing write transaction"))
        let outside = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Realm.empty().add(Dog())
        }
        #expect(
            outside.message.contains(
                "Cannot modify managed objects outside of a write transaction."))
        let unknown = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm(
                configuration: .init(inMemoryIdentifier: "notes", objectTypes: [Note.self]))
            _ = realm.objects(Dog.self).count
        }
        #expect(unknown.message.contains("Object type 'Dog' not managed by the Realm"))
    }
}
