import Foundation
import Holdfast
import Testing

@Suite("Observers of realms")
struct RealmObservationTests {
    @Test("are told when the realm shows another version, by its own writes or a refresh")
    func didChange() throws {
        let realm = try Realm.ofSample("observed-realm", [Note.self])
        var told: [Realm.Notification] = []
        let token = realm.observe { notification, told_realm in
            #expect(told_realm == realm)
            told.append(notification)
        }
        realm.refresh()
        #expect(told == [])
        try realm.write { realm.add(Note()) }
        #expect(told == [.didChange])
        try inAnotherThread {
            let realm = try Realm.ofSample("observed-realm", [Note.self])
            try realm.write { realm.add(Note()) }
        }
        #expect(told == [.didChange])
        realm.refresh()
        #expect(told == [.didChange, .didChange])
        token.invalidate()
        try realm.write { realm.add(Note()) }
        #expect(told.count == 2)
    }

    @Test("are not told any more when their token is gone")
    func goneToken() throws {
        let realm = try Realm.empty()
        var count = 0
        var token: NotificationToken? = realm.observe { _, _ in count += 1 }
        try realm.write { realm.add(Note()) }
        token = nil
        try realm.write { realm.add(Note()) }
        #expect(count == 1 && token == nil)
    }

    @Test("keep their realm by their token")
    func keptRealm() throws {
        var count = 0
        let token = try Realm.ofSample("observed-realm-kept", [Note.self]).observe { _, _ in
            count += 1
        }
        try Realm.ofSample("observed-realm-kept", [Note.self]).write {}
        let realm = try Realm.ofSample("observed-realm-kept", [Note.self])
        try realm.write { realm.add(Note()) }
        #expect(count == 1)
        _ = token
    }

    @Test("go on when another program's part has added classes to the store")
    func schemaChange() throws {
        let realm = try Realm.ofSample("observed-schema", [Note.self])
        try realm.write { realm.add([Note(value: ["a"]), Note(value: ["b"])]) }
        let told = Told<Results<Note>>()
        let object = ToldOfObject()
        let notes = realm.objects(Note.self)
        let tokens = [notes.observe { told.take($0) }, notes[0].observe { object.take($0) }]
        realm.refresh()
        _ = told.taken()
        try inAnotherThread {
            let realm = try Realm.ofSample("observed-schema", [Note.self, ObservedTitle.self])
            try realm.write {
                realm.objects(Note.self)[0].text = "c"
                realm.add(Note(value: ["d"]))
            }
        }
        realm.refresh()
        #expect(told.taken() == [.update(insertions: [2], modifications: [0])])
        #expect(object.taken() == ["text: a → c"])
        try realm.write { notes[1].text = "x" }
        #expect(told.taken() == [.update(modifications: [1])])
        withExtendedLifetime(tokens) {}
    }
}
