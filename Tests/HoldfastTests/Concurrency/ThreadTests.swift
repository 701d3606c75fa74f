import Dispatch
import Foundation
@_spi(Testing) import Holdfast
import Synchronization
import Testing

@Suite("Threads")
struct ThreadTests {
    @Test("share a realm only where it belongs: each has one of its own")
    func places() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        #expect(try Realm(configuration: configuration) == realm)
        let queue = DispatchQueue(label: "place")
        try queue.sync {
            let other = try Realm(configuration: configuration, queue: queue)
            #expect(other != realm)
            #expect(try Realm(configuration: configuration, queue: queue) == other)
        }
        try Shared.onThread {
            let other = try Realm(configuration: configuration)
            try other.write { other.add(Dog(value: [1, "Bo"])) }
        }
        #expect(realm.objects(Dog.self).isEmpty)
        #expect(realm.refresh())
        #expect(realm.objects(Dog.self).first?.name == "Bo")
        #expect(!realm.refresh())
    }

    @Test("begin with the newest version where one before them is gone whose realm something holds")
    func successors() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        nonisolated(unsafe) var references: [ThreadSafeReference<Dog>] = []
        for id in 1...20 {
            try realm.write { realm.add(Dog(value: [id])) }
            try Shared.onThread {
                let dogs = try Realm(configuration: configuration).objects(Dog.self)
                #expect(dogs.count == id)
                if let dog = dogs.first { references.append(ThreadSafeReference(to: dog)) }
            }
        }
    }

    @Test("of a queue take turns with its realm, whichever they are")
    func queue() throws {
        let configuration = Shared.configuration()
        let queue = DispatchQueue(label: "turns")
        nonisolated(unsafe) var dog: Dog?
        nonisolated(unsafe) var results: Results<Dog>?
        nonisolated(unsafe) var realm: Realm?
        try queue.sync {
            let opened = try Realm(configuration: configuration, queue: queue)
            let rex = Dog(value: [1, "Rex", 3])
            try opened.write { opened.add(rex) }
            (realm, dog, results) = (opened, rex, opened.objects(Dog.self))
        }
        for turn in 1...20 {
            try Shared.onThread {
                try queue.sync {
                    #expect(dog?.name == "Rex" && dog?.age == 2 + turn && results?.count == 1)
                    try realm?.write { dog?.age = 3 + turn }
                }
            }
        }
        queue.sync { (realm, dog, results) = (nil, nil, nil) }
    }

    @Test("open a realm of a queue on the queue, which is a serial one")
    func wrongQueue() async {
        let elsewhere = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try Realm(
                configuration: Shared.configuration(), queue: DispatchQueue(label: "another"))
        }
        Shared.expect(elsewhere, tells: "Realm opened from incorrect dispatch queue.")
        let concurrent = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try Realm(configuration: Shared.configuration(), queue: .global())
        }
        Shared.expect(
            concurrent, tells: "Realms can only be confined to serial queues or the main queue.")
    }

    @Test(
        "that a realm does not belong to end the process at every entrance",
        arguments: Entrance.allCases)
    func incorrectThread(entrance: Entrance) async {
        let ended = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [entrance] in
            try Shared.elsewhere { entrance.run($0) }
        }
        Shared.expect(ended, tells: "Realm accessed from incorrect thread.")
    }

    @Test("other than a queue's own may not use its realm")
    func outsideOfQueue() async {
        let ended = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = DispatchQueue(label: "own")
            let configuration = Shared.configuration()
            nonisolated(unsafe) var realm: Realm?
            try queue.sync { realm = try Realm(configuration: configuration, queue: queue) }
            // The thread that calls `sync` runs the block itself, and is taken for the queue's until another is.
            try Shared.onThread { _ = realm?.objects(Dog.self).count }
        }
        Shared.expect(ended, tells: "Realm accessed from incorrect thread.")
    }

    @Test("find what was read invalid after the realm was invalidated, and read anew")
    func invalidate() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1, "Rex"])
        let person = Person(value: ["name": "Ada"])
        try realm.write {
            realm.add([dog])
            realm.add(person)
            person.dogs.append(dog)
        }
        let results = realm.objects(Dog.self)
        let dogs = person.dogs
        #expect(results.count == 1)
        realm.invalidate()
        #expect(dog.isInvalidated && results.isInvalidated && results.isEmpty && dogs.isInvalidated)
        #expect(results.realm == nil)
        let again = realm.objects(Dog.self)
        #expect(again.count == 1 && again.first?.name == "Rex" && !again.isInvalidated)
        #expect(dog.isInvalidated && results.isInvalidated)
        realm.refresh()
        #expect(dog.isInvalidated)
        realm.beginWrite()
        again.first?.name = "Bo"
        realm.invalidate()
        #expect(!realm.isInWriteTransaction && again.isInvalidated)
        #expect(realm.object(ofType: Dog.self, forPrimaryKey: 1)?.name == "Rex")
    }

    @Test("of queues follow the commits of others, unless autorefresh is off")
    func autorefresh() throws {
        let configuration = Shared.configuration()
        let queue = DispatchQueue(label: "follower")
        nonisolated(unsafe) var count = { 0 }
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            let dogs = realm.objects(Dog.self)
            #expect(realm.autorefresh)
            count = { dogs.count }
            #expect(count() == 0)
        }
        let writer = try Realm(configuration: configuration)
        try writer.write { writer.add(Dog(value: [1])) }
        // The commit put the follower's block into the queue, before this one.
        queue.sync { #expect(count() == 1) }
        try queue.sync {
            try Realm(configuration: configuration, queue: queue).autorefresh = false
        }
        try writer.write { writer.add(Dog(value: [2])) }
        try queue.sync {
            #expect(count() == 1)
            let realm = try Realm(configuration: configuration, queue: queue)
            #expect(realm.refresh() && count() == 2)
            count = { 0 }
        }
    }

    @Test("of queues are told of the commits of others, whether or not their realm follows them")
    func observed() throws {
        let configuration = Shared.configuration()
        let queue = DispatchQueue(label: "observer")
        nonisolated(unsafe) var told: [Realm.Notification] = []
        nonisolated(unsafe) var counts: [Int] = []
        nonisolated(unsafe) var tokens: [NotificationToken] = []
        nonisolated(unsafe) var realm: Realm?
        try queue.sync {
            let opened = try Realm(configuration: configuration, queue: queue)
            let dogs = opened.objects(Dog.self)
            tokens = [
                opened.observe { notification, _ in told.append(notification) },
                dogs.observe { _ in counts.append(dogs.count) },
            ]
            opened.refresh()
            realm = opened
        }
        let writer = try Realm(configuration: configuration)
        try writer.write { writer.add(Dog(value: [1])) }
        queue.sync {
            #expect(told == [.didChange] && counts == [0, 1])
            realm?.autorefresh = false
        }
        try writer.write { writer.add(Dog(value: [2])) }
        queue.sync {
            #expect(told == [.didChange, .refreshRequired] && counts == [0, 1])
            realm?.refresh()
            #expect(told == [.didChange, .refreshRequired, .didChange] && counts == [0, 1, 2])
            realm?.writeAsync { realm?.add(Dog(value: [3])) }
        }
        for _ in 0..<30_000 where queue.sync(execute: { counts.count }) < 4 { usleep(1000) }
        queue.sync {
            #expect(counts == [0, 1, 2, 3] && told.last == .didChange)
            for token in tokens { token.invalidate() }
            realm = nil
        }
    }

    @Test("of queues tell the first time by themselves, and observe for what belongs elsewhere")
    func observedOnQueue() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { realm.add(dog) }
        let queue = DispatchQueue(label: "observer")
        nonisolated(unsafe) var told: [String] = []
        let dogs = realm.objects(Dog.self).observe(on: queue) { change in
            switch change {
            case .initial(let dogs): told.append("\(dogs.count) at first")
            case .update(_, let deletions, let insertions, let modifications):
                told.append("\(deletions) \(insertions) \(modifications)")
            case .error(let error): told.append("\(error)")
            }
        }
        func wait(for count: Int) {
            for _ in 0..<30_000 where queue.sync(execute: { told.count }) < count { usleep(1000) }
        }
        wait(for: 1)
        try realm.write { realm.add(Dog(value: [2])) }
        wait(for: 2)
        #expect(queue.sync { told } == ["1 at first", "[] [1] []"])
        dogs.invalidate()
        let token = dog.observe(keyPaths: ["name"], on: queue) { change in
            if case .change(_, let changes) = change {
                told.append("\(changes[0].name): \(changes[0].newValue ?? "nil")")
            }
        }
        // The queue begins to observe before it does what comes later.
        queue.sync {}
        try realm.write { dog.name = "Max" }
        wait(for: 3)
        #expect(queue.sync { told.last } == "name: Max")
        token.invalidate()
    }

    @Test("open a realm beside the caller, which is given it on its queue")
    func asyncOpen() async throws {
        let configuration = Shared.configuration()
        let queue = DispatchQueue(label: "opened")
        let count = try await withCheckedThrowingContinuation { continuation in
            Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                continuation.resume(
                    with: Result {
                        let realm = try result.get()
                        try realm.write { realm.add(Dog(value: [1])) }
                        return realm.objects(Dog.self).count
                    })
            }
        }
        #expect(count == 1)
        let failure = await withCheckedContinuation { continuation in
            let refused = Realm.Configuration(
                inMemoryIdentifier: "refused", encryptionKey: Data([1]), objectTypes: [Dog.self])
            Realm.asyncOpen(configuration: refused, callbackQueue: queue) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: (error as? Realm.Error)?.code)
                } else {
                    continuation.resume(returning: nil)
                }
            }
        }
        #expect(failure == .invalidConfiguration)
        queue.suspend()
        let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { _ in
            Issue.record("a cancelled opening was told of")
        }
        task.cancel()
        queue.resume()
        DispatchQueue.global().sync {}
        queue.sync {}
    }
}
