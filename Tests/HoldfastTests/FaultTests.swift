import Foundation
@_spi(Testing) import Holdfast
import Testing

@Suite("Faults")
struct FaultTests {
    @Test("of a value make the write fail with the first of them, and roll everything back")
    func duplicate() throws {
        let realm = try Realm.empty()
        try realm.write { realm.add(Dog(value: [5])) }
        let fault = #expect(throws: ValueFault.self) {
            try realm.write {
                realm.add(Dog(value: [6]))
                realm.add(Dog(value: [5]))
                realm.add(Dog(value: [6]))
            }
        }
        #expect(
            fault?.message
                == "Attempting to create an object of type 'Dog' with an existing primary key value '5'."
        )
        #expect(realm.objects(Dog.self).count == 1)
    }

    @Test("of a text that is too long are told as the original tells them")
    func tooLong() throws {
        let realm = try Realm.empty()
        let note = Note()
        try realm.write { realm.add(note) }
        try realm.write { note.text = String(repeating: "x", count: 16_777_216) }
        #expect(note.text.utf8.count == 16_777_216)
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { note.text = String(repeating: "x", count: 16_777_217) }
        }
        #expect(fault?.message == "String too big")
    }

    @Test("of a stated value name the property and the types")
    func wrongType() throws {
        let realm = try Realm.empty()
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { realm.create(Dog.self, value: ["id": 1, "name": 5]) }
        }
        #expect(
            fault?.message == "Invalid value '5' of type 'Int' for 'string' property 'Dog.name'.")
        let more = #expect(throws: ValueFault.self) {
            try realm.write {
                realm.create(Note.self, value: ["a", NSNull(), [AnyRealmValue](), 1])
            }
        }
        #expect(more?.message == "Invalid array input: more values (4) than properties (3).")
        #expect(realm.isEmpty)
    }

    @Test("say their message as every error does")
    func localized() throws {
        let realm = try Realm.empty()
        func description(_ body: () throws -> Void) -> String {
            do { try body() } catch { return error.localizedDescription }
            return ""
        }
        #expect(
            description { try realm.write { realm.add(Note(value: ["a"]), update: .all) } }
                == "'Note' does not have a primary key and can not be updated")
        let url = URL(fileURLWithPath: "/nowhere/at.realm")
        #expect(
            description {
                _ = try Realm(
                    configuration: .init(fileURL: url, readOnly: true, objectTypes: [Note.self]))
            } == "There is no store at '/nowhere/at.realm'.")
        #expect(
            description { _ = try realm.objects(Note.self).filter(validating: "txt == 'a'") }
                .hasPrefix("Invalid predicate: "))
        #expect(
            description { _ = try ObjectId(string: "x") }
                == "Invalid Object ID string 'x': must be 24 hex digits")
    }

    @Test(
        "that are mistakes of the program end the process with their message, also told to an observer"
    )
    func mistakes() async throws {
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let realm = try Realm.empty()
            let dog = Dog(value: [1])
            try realm.write { realm.add(dog) }
            dog.name = "Bo"
        }
        #expect(
            outside.message.contains(
                "Cannot modify managed objects outside of a write transaction."))
        let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            let dog = Dog(value: [1])
            try realm.write {
                realm.add(dog)
                dog.id = 2
            }
        }
        #expect(
            key.message.contains("Primary key can't be changed after an object is inserted."))
        let gone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            let dog = Dog(value: [1])
            try realm.write { realm.add(dog) }
            try realm.write { realm.delete(dog) }
            _ = dog.name
        }
        #expect(gone.message.contains("Object has been deleted or invalidated."))
        let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let realm = try Realm.empty()
            realm.beginWrite()
            realm.beginWrite()
        }
        #expect(nested.message.contains("The Realm is already in a write transaction"))
        let bounds = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let realm = try Realm.empty()
            try realm.write { realm.add(Dog(value: [1])) }
            _ = realm.objects(Dog.self)[3]
        }
        #expect(bounds.message.contains("Index 3 is out of bounds (must be less than 1)."))
        let thread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            nonisolated(unsafe) let realm = try Realm.empty()
            let other = Thread { _ = realm.objects(Dog.self).count }
            other.start()
            while !other.isFinished { usleep(1000) }
        }
        #expect(thread.message.contains("Realm accessed from incorrect thread."))
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm.empty()
            Misuse.observe { print("told: \($0)", to: &StandardError.stream) }
            _ = realm.objects(Dog.self).filter("nmae == 'x'")
        }
        #expect(text.message.contains("told: Invalid predicate: "))
    }
}

/// Standard error as a stream of text.
struct StandardError: TextOutputStream {
    nonisolated(unsafe) static var stream = StandardError()
    func write(_ string: String) { FileHandle.standardError.write(Data(string.utf8)) }
}
