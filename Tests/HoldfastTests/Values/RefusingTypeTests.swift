import Foundation
import Holdfast
import Testing

// `URL` is mapped as on the page about supported types. It refuses the empty text, which is the default of its stored type.

private final class Club: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var url: URL?
    @Persisted var home: URL
    @Persisted var urls: List<URL>
    @Persisted var urlSet: MutableSet<URL>
    @Persisted var urlMap: Map<String, URL>
    @Persisted var urlOrNone: List<URL?>
    @Persisted var rival: Club?
    @Persisted var branches: List<Club>
    @Persisted var office: Office?
    @Persisted(originProperty: "rival") var rivals: LinkingObjects<Club>

    convenience init(_ id: Int, _ url: URL) {
        self.init()
        self.id = id
        (self.url, home) = (url, url)
        urls.append(url)
        urlSet.insert(url)
        urlMap["a"] = url
        urlOrNone.append(objectsIn: [nil, url])
        office = Office()
        office?.page = url
    }

    var line: String { "\(home.host ?? "") \(name)" }
}

private final class Office: EmbeddedObject {
    @Persisted var page: URL
}

/// A class without such a property of its own.
private final class Visit: Object {
    @Persisted var club: Club?
}

private final class ClubProjection: Projection<Club> {
    @Projected(\Club.url) var address
    @Projected(\Club.home) var start
    @Projected(\Club.url?.host) var host
    @Projected(\Club.urls) var urls
    @Projected(\Club.urls.first?.host) var firstHost
    @Projected(\Club.rival?.home) var rivalStart
    @Projected(\Club.office?.page) var officePage
    @Projected(\Club.branches.projectTo.home) var branchStarts
    @Projected(\Club.name) var name
}

private final class HostProjection: Projection<Club> {
    @Projected(\Club.home.host) var host
}

private final class LineProjection: Projection<Club> {
    @Projected(\Club.line) var line
}

@Suite("Key paths to types that refuse the default of their stored type")
struct RefusingTypeTests {
    private static let types: [ObjectBase.Type] = [Club.self, Office.self, Visit.self]
    private let a = URL(fileURLWithPath: "/a")
    private let b = URL(fileURLWithPath: "/b")

    /// Two clubs, each the rival of the other, and a visit to each.
    private func filled() throws -> Realm {
        let realm = try Realm.ofSample("\(UUID())", Self.types)
        let clubs = [Club(1, b), Club(2, a)]
        (clubs[0].rival, clubs[1].rival) = (clubs[1], clubs[0])
        clubs[0].branches.append(clubs[1])
        try realm.write {
            realm.add(clubs)
            for club in clubs { realm.add(Visit(value: ["club": club])) }
        }
        return realm
    }

    @Test("lead to properties, optional or not, elements and objects behind links in conditions")
    func conditions() throws {
        let realm = try filled()
        func ids(_ condition: (Query<Club>) -> Query<Bool>) -> [Int] {
            Array(realm.objects(Club.self).where(condition).map(\.id))
        }
        #expect(ids { $0.url == a } == [2])
        #expect(ids { $0.home == a } == [2])
        #expect(ids { $0.home != a } == [1])
        #expect(ids { $0.home.in([a, b]) } == [1, 2])
        #expect(ids { $0.home.persistableValue.ends(with: "/b") } == [1])
        #expect(ids { $0.url == nil } == [])
        #expect(ids { $0.urls.contains(b) } == [1])
        #expect(ids { $0.urls.containsAny(in: [b]) && $0.urlSet.contains(b) } == [1])
        #expect(ids { $0.urlMap["a"] == a || $0.urlMap.values == a } == [2])
        #expect(ids { $0.urlOrNone.contains(a) } == [2])
        #expect(ids { $0.rival.home == a } == [1])
        #expect(ids { $0.branches.home == a } == [1])
        #expect(ids { $0.rivals.home == a } == [1])
        #expect(ids { $0.office.page == a } == [2])
        #expect(realm.objects(Visit.self).where { $0.club.home == a }.count == 1)
        #expect(realm.objects(Club.self).index(matching: { $0.home == a }) == 1)
    }

    @Test("sort, tell apart, make sections and aggregates")
    func orders() throws {
        let clubs = try filled().objects(Club.self)
        #expect(clubs.sorted(by: \.url).map(\.id) == [2, 1])
        #expect(clubs.sorted(by: \.home).map(\.id) == [2, 1])
        #expect(clubs.sorted(by: \.rival?.home).map(\.id) == [1, 2])
        #expect(clubs.sorted(by: \.rival!.home).map(\.id) == [1, 2])
        #expect(clubs.sorted(by: \.office?.page).map(\.id) == [2, 1])
        #expect(clubs.distinct(by: [\Club.home, \Club.url]).count == 2)
        #expect(clubs.sectioned(by: \.home).map(\.key) == [a, b])
        #expect(SortDescriptor(keyPath: \Visit.club?.home).keyPath == "club.home")
    }

    @Test("are observed")
    func observes() throws {
        let realm = try filled()
        let clubs = realm.objects(Club.self)
        let club = clubs[0]
        let told = Told<Results<Club>>()
        let behind = Told<Results<Club>>()
        var names: [String] = []
        let tokens = [
            clubs.observe(keyPaths: [\.url, \.home]) { told.take($0) },
            clubs.observe(keyPaths: [\.rival?.home]) { behind.take($0) },
            club.observe(keyPaths: [\Club.home, \Club.urls]) {
                if case .change(_, let changes) = $0 { names += changes.map(\.name) }
            },
        ]
        realm.refresh()
        (_, _) = (told.taken(), behind.taken())
        try realm.write { club.name = "other" }
        #expect(told.taken() == [] && behind.taken() == [] && names == [])
        try realm.write { club.home = a }
        #expect(told.taken() == [.update(modifications: [0])])
        #expect(behind.taken() == [.update(modifications: [1])] && names == ["home"])
        withExtendedLifetime(tokens) {}
    }

    @Test("are projected, with what is computed of an optional one and through collections")
    func projects() throws {
        let realm = try filled()
        let shown = try #require(realm.objects(ClubProjection.self).first)
        #expect(shown.address == b && shown.start == b && shown.rivalStart == a)
        #expect(shown.officePage == b && shown.urls.first == b)
        #expect(shown.host == b.host && shown.firstHost == b.host)
        #expect(Array(shown.branchStarts) == [a])
        var names: [String] = []
        let token = shown.observe {
            if case .change(_, let changes) = $0 { names += changes.map(\.name) }
        }
        let starts = shown.observe(keyPaths: [\ClubProjection.start]) {
            if case .change(_, let changes) = $0 { names += changes.map { "of \($0.name)" } }
        }
        let branch = Told<ProjectedCollection<URL>>()
        let branches = shown.branchStarts.observe { branch.take($0) }
        try realm.write { shown.start = a }
        #expect(names.sorted() == ["of start", "start"])
        names = []
        _ = branch.taken()
        try realm.write { shown.rootObject.rival?.home = b }
        #expect(names.sorted() == ["branchStarts", "rivalStart"])
        #expect(branch.taken() == [.update(modifications: [0])])
        names = []
        try realm.write { shown.address = nil }
        #expect(names.sorted() == ["address", "host"] && shown.host == nil)
        #expect(realm.objects(ClubProjection.self).sorted(by: \.start).count == 2)
        withExtendedLifetime([token, starts, branches]) {}
    }

    @Test("that compute of a required one what needs its value end the process and say so")
    func computed() async {
        let host = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = HostProjection(projecting: Club()).host
        }
        #expect(host.message.contains("The key path needs a value of 'Club.home'"))
        let line = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = LineProjection(projecting: Club()).line
        }
        #expect(line.message.contains("The key path needs a value of 'Club.home'"))
        let element = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = SortDescriptor(keyPath: \Club.urls[0].pathExtension)
        }
        #expect(element.message.contains("The key path needs a value of 'Club.urls'"))
    }
}
