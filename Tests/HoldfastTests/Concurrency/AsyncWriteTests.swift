import Dispatch
import Foundation
import Holdfast
import Testing

@Suite("Asynchronous writes")
struct AsyncWriteTests {
    /// Runs `body` on a queue with a realm of it, and returns when the asynchronous writes that it begins are told of.
    private static func onQueue(
        _ configuration: Realm.Configuration = Shared.configuration(),
        _ body: @escaping (Realm, _ done: @escaping () -> Void) throws -> Void
    ) async throws {
        let queue = DispatchQueue(label: "async")
        nonisolated(unsafe) let body = body
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            queue.async {
                do {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    try body(realm) { continuation.resume() }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    @Test("run later, in the order in which they were begun, and are told of in it")
    func order() async throws {
        try await Self.onQueue { realm, done in
            var told: [Int] = []
            for id in 1...20 {
                realm.writeAsync {
                    #expect(realm.isInWriteTransaction)
                    #expect(realm.objects(Dog.self).count == id - 1)
                    realm.add(Dog(value: [id]))
                } onComplete: { error in
                    #expect(error == nil && !realm.isInWriteTransaction)
                    told.append(id)
                    guard id == 20 else { return }
                    #expect(told == Array(1...20))
                    #expect(realm.objects(Dog.self).count == 20)
                    #expect(!realm.isPerformingAsynchronousWriteOperations)
                    done()
                }
                #expect(!realm.isInWriteTransaction)
                #expect(realm.isPerformingAsynchronousWriteOperations)
            }
            #expect(realm.objects(Dog.self).isEmpty)
        }
    }

    @Test("show their objects at once, before they are durable")
    func visible() async throws {
        try await Self.onQueue { realm, done in
            realm.beginAsyncWrite {
                let dog = Dog(value: [1, "Rex"])
                realm.add(dog)
                var isTold = false
                realm.commitAsyncWrite { error in
                    #expect(error == nil && dog.name == "Rex")
                    isTold = true
                    done()
                }
                #expect(!isTold && dog.name == "Rex" && dog.weight == 0)
                #expect(realm.objects(Dog.self).count == 1 && !realm.isInWriteTransaction)
            }
        }
    }

    @Test("that throw, fail by a value or are left open change nothing")
    func rolledBack() async throws {
        struct Abandoned: Error {}
        try await Self.onQueue { realm, done in
            let dog = Dog(value: [1, "Rex"])
            try realm.write { realm.add(dog) }
            let lost = Dog(value: [2])
            realm.writeAsync {
                dog.name = "Bo"
                realm.add(lost)
                throw Abandoned()
            } onComplete: { error in
                #expect(error is Abandoned)
                #expect(dog.name == "Rex" && lost.isInvalidated)
            }
            realm.writeAsync {
                dog.name = "Bo"
                realm.add(Dog(value: [1]))
            } onComplete: { error in
                #expect(
                    (error as? ValueFault)?.message
                        == "Attempting to create an object of type 'Dog' with an existing primary key value '1'."
                )
            }
            realm.beginAsyncWrite { dog.name = "Bo" }
            realm.beginAsyncWrite {
                dog.name = "Bo"
                realm.cancelWrite()
            }
            realm.beginAsyncWrite {
                #expect(dog.name == "Rex")
                dog.age = 4
                #expect(throws: Never.self) { try realm.commitWrite() }
            }
            realm.writeAsync {
            } onComplete: { _ in
                #expect(dog.name == "Rex" && dog.age == 4)
                done()
            }
        }
    }

    @Test("are cancelled before they begin, or only not told of afterwards")
    func cancel() async throws {
        try await Self.onQueue { realm, done in
            let first = realm.writeAsync {
                Issue.record("a cancelled write ran")
            } onComplete: { _ in
                Issue.record("a cancelled write was told of")
            }
            try realm.cancelAsyncWrite(first)
            realm.beginAsyncWrite {
                realm.add(Dog(value: [1]))
                let commit = realm.commitAsyncWrite { _ in Issue.record("told of") }
                #expect(throws: Never.self) { try realm.cancelAsyncWrite(commit) }
            }
            realm.writeAsync {
            } onComplete: { _ in
                #expect(realm.objects(Dog.self).count == 1)
                done()
            }
        }
    }

    @Test("wait for a write of the same queue that is begun meanwhile, whoever has the turn")
    func besideOthers() async throws {
        let configuration = Shared.configuration()
        try await Self.onQueue(configuration) { realm, done in
            var order: [String] = []
            realm.writeAsync { order.append("asynchronous") }
            // The turn is lent to the asynchronous write, which waits for this block.
            usleep(20_000)
            try realm.write { order.append("first") }
            try realm.write { order.append("second") }
            realm.writeAsync {
            } onComplete: { error in
                #expect(error == nil && order == ["first", "second", "asynchronous"])
                done()
            }
            try Shared.onThread {
                let other = try Realm(configuration: configuration)
                try Shared.onThread {
                    let third = try Realm(configuration: configuration)
                    _ = third.objects(Dog.self).count
                }
                _ = other.objects(Dog.self).count
            }
        }
    }

    @Test("wait for a write of their realm that is left open from one block to another")
    func leftOpen() async throws {
        let queue = DispatchQueue(label: "open")
        let configuration = Shared.configuration()
        let order = try await withCheckedThrowingContinuation { continuation in
            queue.async {
                do {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    nonisolated(unsafe) let left = realm
                    nonisolated(unsafe) var order: [Int] = []
                    realm.beginWrite()
                    realm.writeAsync {
                        order.append(realm.objects(Dog.self).count)
                    } onComplete: { _ in
                        continuation.resume(returning: order)
                    }
                    queue.asyncAfter(deadline: .now() + .milliseconds(50)) {
                        order.append(left.objects(Dog.self).count)
                        left.add(Dog(value: [1]))
                        do { try left.commitWrite() } catch { continuation.resume(throwing: error) }
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(order == [0, 1])
    }

    @Test("of a realm that nothing refers to any more are made all the same")
    func kept() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "async-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = Realm.Configuration(fileURL: folder, objectTypes: [Note.self])
        try await Self.onQueue(configuration) { realm, done in
            realm.writeAsync {
                realm.add(Note(value: ["text": "kept"]))
            } onComplete: { error in
                #expect(error == nil)
                done()
            }
        }
        let text = try { try Realm(configuration: configuration).objects(Note.self).first?.text }()
        #expect(text == "kept")
    }

    @Test("are for realms of queues, actors and the main thread")
    func thread() async {
        let ended = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Shared.onThread { try Realm.empty().writeAsync {} }
        }
        Shared.expect(ended, tells: "Cannot schedule async transaction.")
    }
}
