import Foundation
import Holdfast
import Testing

/// A write that waits for its turn is lent it upon what the one before has changed, before that is committed.
@Suite("Writes that follow each other")
struct FollowingWriteTests {
    /// Runs `body`, which begins a write, while another thread makes one.
    private func behind(
        _ configuration: Realm.Configuration, _ write: @escaping @Sendable (Realm) -> Void,
        _ body: () throws -> Void
    ) throws {
        let (isOpen, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        nonisolated(unsafe) var failure: (any Error)?
        Thread.detachNewThread {
            do {
                let realm = try Realm(configuration: configuration)
                realm.beginWrite()
                write(realm)
                isOpen.signal()
                usleep(50_000)
                try realm.commitWrite()
            } catch { failure = error }
            done.signal()
        }
        isOpen.wait()
        try body()
        done.wait()
        if let failure { throw failure }
    }

    @Test("tell observers at their begin all that they are going to see")
    func observers() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        try realm.write { for id in 0..<3 { realm.add(Dog(value: [id])) } }
        let dogs = realm.objects(Dog.self)
        let told = Told<Results<Dog>>()
        let token = dogs.observe { change in
            told.take(change)
            #expect(dogs.allSatisfy { !$0.isInvalidated })
        }
        realm.refresh()
        _ = told.taken()
        try behind(configuration) { other in
            other.delete(other.objects(Dog.self)[1])
            other.add(Dog(value: [9]))
        } _: {
            realm.beginWrite()
            #expect(told.taken() == [.update([1], insertions: [2])])
            #expect(dogs.map(\.id) == [0, 2, 9])
            realm.add(Dog(value: [10]))
            try realm.commitWrite()
            #expect(told.taken() == [.update(insertions: [3])])
        }
        withExtendedLifetime(token) {}
    }

    @Test("leave valid what those before have created when they are cancelled")
    func cancelled() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        var seen: Dog?
        try behind(configuration) { other in
            other.add(Dog(value: [9]))
        } _: {
            realm.beginWrite()
            seen = realm.object(ofType: Dog.self, forPrimaryKey: 9)
            realm.cancelWrite()
        }
        realm.refresh()
        #expect(seen?.isInvalidated == false && seen?.id == 9)
    }
}
