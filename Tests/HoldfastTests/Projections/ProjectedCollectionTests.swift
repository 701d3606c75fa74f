import Holdfast
import Testing

@Suite("Projected collections")
struct ProjectedCollectionTests {
    private final class Club: Object {
        @Persisted var members: List<Member>
        @Persisted var guests: MutableSet<Member>
        @Persisted var places: List<Place>
    }

    private final class Member: Object {
        @Persisted var name = ""
        @Persisted var age: Int?
        @Persisted var club: Club?
        var initial: String { String(name.prefix(1)) }

        convenience init(_ name: String, _ age: Int? = nil) {
            self.init()
            self.name = name
            self.age = age
        }
    }

    private final class Place: EmbeddedObject {
        @Persisted var city = ""
    }

    private final class ClubProjection: Projection<Club> {
        @Projected(\Club.members.projectTo.name) var names
        @Projected(\Club.members.projectTo.initial) var initials
        @Projected(\Club.members.projectTo.age) var ages: ProjectedCollection<Int?>
        @Projected(\Club.guests.projectTo.name) var guestNames
        @Projected(\Club.places.projectTo.city) var cities
    }

    private func realm(_ name: String = #function) throws -> Realm {
        try Realm.ofSample(
            "\(Self.self) \(name)", [Club.self, Member.self, Place.self])
    }

    @Test("show stored and computed properties of each object of a list or set")
    func shows() throws {
        let realm = try realm()
        let club = Club()
        let place = Place()
        place.city = "Bath"
        club.members.append(objectsIn: [Member("Ada", 36), Member("Bo")])
        club.guests.insert(Member("Ida"))
        club.places.append(place)
        let projection = ClubProjection(projecting: club)
        func check() {
            #expect(Array(projection.names) == ["Ada", "Bo"])
            #expect(Array(projection.initials) == ["A", "B"])
            #expect(Array(projection.ages) == [36, nil])
            #expect(Array(projection.guestNames) == ["Ida"])
            #expect(Array(projection.cities) == ["Bath"])
        }
        check()
        #expect(projection.names.realm == nil)
        try realm.write { realm.add(club) }
        check()
        #expect(
            projection.names.realm == realm
                && projection.names.description
                    == "ProjectedCollection<String> (\n\t[0] Ada,\n\t[1] Bo\n)"
        )
    }

    @Test("are live, and are not written by")
    func live() throws {
        let realm = try realm()
        let club = Club()
        try realm.write { realm.add(club) }
        let names = club.members.projectTo.name
        let guests = club.guests.projectTo.name
        #expect(names.isEmpty && guests.isEmpty)
        try realm.write {
            club.members.append(objectsIn: [Member("Ada"), Member("Bo")])
            #expect(Array(names) == ["Ada", "Bo"])
            club.guests.insert(club.members[0])
            club.members[0].name = "Ida"
        }
        #expect(Array(names) == ["Ida", "Bo"] && Array(guests) == ["Ida"])
        #expect(names.count == 2 && names.first == "Ida" && names.last == "Bo")
        #expect(names.index(of: "Bo") == 1 && names.index(of: "Ada") == nil)
        try realm.write { realm.delete(club.members[0]) }
        #expect(Array(names) == ["Bo"] && guests.isEmpty)
        try realm.write { realm.delete(club) }
        #expect(names.isInvalidated)
    }

    @Test("of several projections of one object are the same values")
    func shared() throws {
        let realm = try realm()
        let club = Club()
        club.members.append(Member("Ada"))
        try realm.write { realm.add(club) }
        #expect(
            realm.objects(ClubProjection.self).allSatisfy { $0.names.elementsEqual(["Ada"]) })
    }

    @Test("end the process beyond their end")
    func bounds() async {
        let beyond = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let club = Club()
            club.members.append(Member("Ada"))
            _ = club.members.projectTo.name[3]
        }
        let text = beyond.message
        #expect(text.contains("Index 3 is out of bounds (must be less than 1)."))
    }
}
