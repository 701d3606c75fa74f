import Foundation
import Holdfast
import Testing

private final class Town: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(originProperty: "town") var places: LinkingObjects<Place>
}

private final class Place: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var number = 0
    @Persisted var town: Town?
    @Persisted var inner: Place?
    @Persisted(originProperty: "home") var tenants: LinkingObjects<Tenant>
    @Persisted(originProperty: "former") var formerTenants: LinkingObjects<Tenant>
    @Persisted(originProperty: "inner") var outer: LinkingObjects<Place>
}

private final class Tenant: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var home: Place?
    @Persisted var former: List<Place>
    @Persisted var named: Map<String, Place?>
}

@Suite("Inverse links of embedded objects")
struct EmbeddedInverseTests {
    private func realm() throws -> (Realm, Tenant) {
        let realm = try Realm.ofSample("\(UUID())", [Town.self, Place.self, Tenant.self])
        let tenant = Tenant(
            value: [
                "id": 1, "name": "Ada",
                "home": ["street": "Main", "number": 7, "inner": ["street": "Yard"]]
                    as [String: Any],
                "former": [["street": "Old"], ["street": "Older"]],
                "named": ["work": ["street": "Desk"]],
            ] as [String: Any])
        try realm.write { realm.add(tenant) }
        return (realm, tenant)
    }

    @Test("lead to the object that holds one, from the property that it is held in")
    func holders() throws {
        let (realm, tenant) = try realm()
        let home = try #require(tenant.home)
        #expect(Array(home.tenants) == [tenant] && home.formerTenants.isEmpty)
        #expect(home.tenants.first?.name == "Ada" && home.tenants[0] == tenant)
        #expect(home.tenants.filter("name == 'Ada'").count == 1)
        #expect(home.tenants.where { $0.name != "Ada" }.isEmpty)
        #expect(home.tenants.sorted(by: \.name).map(\.id) == [1])
        let older = tenant.former[1]
        #expect(older.tenants.isEmpty && Array(older.formerTenants) == [tenant])
        try realm.write { tenant.former.remove(at: 0) }
        #expect(Array(older.formerTenants) == [tenant])
        let work = try #require(tenant.named["work"] ?? nil)
        #expect(work.tenants.isEmpty && work.formerTenants.isEmpty)
        #expect(Place().tenants.isEmpty)
        #expect(Array(home.freeze().tenants).map(\.name) == ["Ada"])
        #expect(realm.dynamicObjects("Tenant").first?.home != nil)
    }

    @Test("lead to the embedded object that holds one")
    func embeddedHolders() throws {
        let (realm, tenant) = try realm()
        let (home, yard) = (try #require(tenant.home), try #require(tenant.home?.inner))
        #expect(yard.outer.count == 1 && home.outer.isEmpty && yard.tenants.isEmpty)
        #expect(yard.outer.first?.isSameObject(as: home) == true)
        #expect(yard.outer.filter("street == 'Main'").first?.street == "Main")
        #expect(yard.outer.index(of: home) == 0)
        try realm.write { yard.outer.first?.street = "Side" }
        #expect(home.street == "Side" && yard.outer.map(\.street) == ["Side"])
        #expect(yard.freeze().outer.map(\.street) == ["Side"])
    }

    @Test("lead to the embedded objects that link to one of its own, each as often as it links")
    func origins() throws {
        let (realm, tenant) = try realm()
        let town = Town(value: [1])
        let other = Tenant(value: ["id": 2, "home": ["street": "Far"]] as [String: Any])
        try realm.write {
            realm.add(town)
            realm.add(other)
            tenant.home?.town = town
            tenant.home?.inner?.town = town
            tenant.former[1].town = town
            tenant.named["work"]??.town = town
            other.home?.town = town
        }
        let streets: Set = ["Main", "Yard", "Older", "Desk", "Far"]
        #expect(town.places.count == 5 && Set(town.places.map(\.street)) == streets)
        #expect(Set((0..<5).map { town.places[$0].street }) == streets)
        #expect(town.places.filter("street == 'Older'").first?.formerTenants.first == tenant)
        #expect(town.places.sorted(by: \.street).map(\.street) == streets.sorted())
        #expect(town.places.sorted(by: \.street).first?.street == "Desk")
        #expect(town.places.index(of: tenant.former[1]) != nil)
        #expect(town.places.index(of: tenant.former[0]) == nil)
        #expect(town.places.max(ofProperty: "number") == 7 as Int?)
        #expect(town.places.sum(of: \.number) == 7)
        var changes: [(deleted: Int, inserted: Int)] = []
        let token = town.places.observe { change in
            if case .update(_, let deletions, let insertions, _) = change {
                changes.append((deletions.count, insertions.count))
            }
        }
        try realm.write {
            town.places.filter("street == 'Desk'").first?.street = "Table"
            realm.delete(other)
        }
        #expect(tenant.named["work"]??.street == "Table" && town.places.count == 4)
        #expect(changes.count == 1)
        #expect(changes.first.map { $0.deleted - $0.inserted } == 1)
        #expect(town.freeze().places.count == 4)
        token.invalidate()
        try realm.write { realm.delete(tenant) }
        #expect(town.places.isEmpty && town.places.first == nil)
    }

    @Test("of a holder are observed")
    func observed() throws {
        let (realm, tenant) = try realm()
        let older = tenant.former[1]
        var told: [[Int]] = []
        let token = older.formerTenants.observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                told.append([deletions.count, insertions.count, modifications.count])
            }
        }
        try realm.write { tenant.name = "Eve" }
        try realm.write { tenant.former.remove(at: 0) }
        try realm.write { tenant.former.removeAll() }
        #expect(told.first == [0, 0, 1] && told.last == [1, 0, 0])
        token.invalidate()
    }
}
