import Foundation
import Holdfast
import Testing

@Suite("Faults of observers")
struct ObservationFaultTests {
    @Test("of objects that are not managed end the process")
    func unmanaged() async {
        let object = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            _ = Dog().observe { _ in }
        }
        #expect(
            object.message.contains(
                "Only objects which are managed by a Realm support change notifications"))
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person().dogs.observe { _ in }
        }
        #expect(
            list.message.contains(
                "This method may only be called on List instances retrieved from a Realm"))
    }

    @Test("of unknown properties name the property and the class")
    func unknown() async {
        let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            _ = realm.objects(Dog.self).observe(keyPaths: ["friend.nmae"]) { _ in }
        }
        #expect(name.message.contains("property 'nmae' not found in object of type 'Dog'"))
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            _ = realm.objects(Dog.self).observe(keyPaths: ["name.x"]) { _ in }
        }
        #expect(value.message.contains("property 'name' in object of type 'Dog' is not an object"))
    }

    @Test("inside a write, of a deleted object and of another realm's tokens end the process")
    func misplaced() async {
        let write = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            try realm.write { _ = realm.objects(Dog.self).observe { _ in } }
        }
        #expect(
            write.message.contains(
                "Cannot register notification blocks from within write transactions."))
        let gone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            let dog = Dog(value: [1])
            try realm.write { realm.add(dog) }
            try realm.write { realm.delete(dog) }
            _ = dog.observe { _ in }
        }
        #expect(gone.message.contains("Object has been deleted or invalidated."))
        let token = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let token = try Realm.empty().observe { _, _ in }
            try Realm.empty().write(withoutNotifying: [token]) {}
        }
        #expect(
            token.message.contains(
                "Incorrect Realm: only notifications for the Realm being modified can be skipped."))
    }
}
