import Holdfast
import Testing

@Suite("Key paths of observers")
struct KeyPathObservationTests {
    /// A chain of notes, each of which leads to the next.
    private func chain(_ realm: Realm, _ count: Int) throws -> [Note] {
        let notes = (0..<count).map { Note(value: ["text": "\($0)"]) }
        for (note, next) in zip(notes, notes.dropFirst()) { note.next = next }
        try realm.write { realm.add(notes) }
        return notes
    }

    @Test("by default are all properties and those of objects up to four links away")
    func defaultDepth() throws {
        let realm = try Realm.empty()
        let notes = try chain(realm, 6)
        let told = Told<Results<Note>>()
        let object = ToldOfObject()
        let first = realm.objects(Note.self).filter("text BEGINSWITH '0'")
        let tokens = [
            first.observe { told.take($0) }, notes[0].observe { object.take($0) },
        ]
        realm.refresh()
        _ = told.taken()
        for distance in 1...4 {
            try realm.write { notes[distance].text += "!" }
            #expect(told.taken() == [.update(modifications: [0])], "at \(distance)")
            #expect(object.taken() == ["next: Note → Note"], "at \(distance)")
        }
        try realm.write { notes[5].text += "!" }
        #expect(told.taken() == [] && object.taken() == [])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "limit what is told to their properties and exactly their depth; what comes and goes is always told"
    )
    func depth() throws {
        let realm = try Realm.empty()
        let notes = try chain(realm, 4)
        let texts = Told<Results<Note>>()
        let links = Told<Results<Note>>()
        let behind = Told<Results<Note>>()
        let all = realm.objects(Note.self)
        let tokens = [
            all.observe(keyPaths: ["text"]) { texts.take($0) },
            all.observe(keyPaths: [\.next]) { links.take($0) },
            all.observe(keyPaths: [\.next?.next?.text]) { behind.take($0) },
        ]
        realm.refresh()
        _ = (texts.taken(), links.taken(), behind.taken())
        try realm.write { notes[3].text = "x" }
        #expect(texts.taken() == [.update(modifications: [3])])
        #expect(links.taken() == [])
        #expect(behind.taken() == [.update(modifications: [1])])
        try realm.write { notes[0].next = nil }
        #expect(texts.taken() == [])
        #expect(links.taken() == [.update(modifications: [0])])
        #expect(behind.taken() == [.update(modifications: [0])])
        try realm.write { realm.delete(notes[0]) }
        for told in [texts, links, behind] { #expect(told.taken() == [.update([0])]) }
        withExtendedLifetime(tokens) {}
    }

    @Test("lead through embedded objects, lists and linking objects")
    func ways() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1])
        let person = Person(value: ["home": ["city": "Rome", "inner": ["city": "Oslo"]]])
        person.dogs.append(dog)
        try realm.write { realm.add(person) }
        let cities = ToldOfObject()
        let names = ToldOfObject()
        let keepers = ToldOfObject()
        let tokens = [
            person.observe(keyPaths: ["home.inner.city"]) { cities.take($0) },
            person.observe(keyPaths: ["dogs.name"]) { names.take($0) },
            dog.observe(keyPaths: ["keepers.name"]) { keepers.take($0) },
        ]
        realm.refresh()
        try realm.write { person.home?.city = "Bonn" }
        #expect(cities.taken() == [])
        try realm.write { person.home?.inner?.city = "Bern" }
        #expect(cities.taken() == ["home: Address → Address"])
        try realm.write { dog.age = 5 }
        #expect(names.taken() == [])
        try realm.write { dog.name = "other" }
        #expect(names.taken().count == 1 && keepers.taken() == [])
        try realm.write { person.name = "Ada" }
        #expect(keepers.taken().count == 1)
        try realm.write { person.dogs.removeAll() }
        #expect(keepers.taken().count == 1 && names.taken().count == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test("stand for any property with an asterisk")
    func wildcards() throws {
        let realm = try Realm.empty()
        let notes = try chain(realm, 3)
        let own = ToldOfObject()
        let behind = ToldOfObject()
        let tokens = [
            notes[0].observe(keyPaths: ["*"]) { own.take($0) },
            notes[0].observe(keyPaths: ["*.*"]) { behind.take($0) },
        ]
        realm.refresh()
        try realm.write { notes[1].text = "x" }
        #expect(own.taken() == [] && behind.taken() == ["next: Note → Note"])
        try realm.write { notes[0].text = "x" }
        #expect(own.taken() == ["text: 0 → x"] && behind.taken() == [])
        try realm.write { notes[2].text = "x" }
        #expect(own.taken() == [] && behind.taken() == [])
        withExtendedLifetime(tokens) {}
    }

    @Test("are the names in the class, whatever the names in the store")
    func mapped() throws {
        let realm = try Realm.ofSample("observed-mapped-names", [ObservedTitle.self])
        let object = ObservedTitle()
        try realm.write { realm.add(object) }
        let told = ToldOfObject()
        let token = object.observe(keyPaths: ["title"]) { told.take($0) }
        realm.refresh()
        try realm.write {
            object.title = "x"
            object.other = 1
        }
        #expect(told.taken() == ["title:  → x"])
        _ = token
    }
}

final class ObservedTitle: Object {
    @Persisted var title = ""
    @Persisted var other = 0
    override class func propertiesMapping() -> [String: String] { ["title": "stored_title"] }
}
