import Foundation
import Holdfast
import Testing

@Suite("Frozen projections and sections")
struct FrozenProjectionTests {
    private func kennel(_ name: String = #function) throws -> Realm {
        let realm = try Realm.empty(name)
        try realm.write {
            let dogs = ["Rex", "Bo", "Ida"].enumerated().map { Dog(value: [$0, $1, $0]) }
            realm.create(Person.self, value: ["dogs": dogs])
        }
        return realm
    }

    @Test("show one version for good, and are thawed to the live one")
    func projections() throws {
        let realm = try kennel()
        let rex = realm.objects(DogProjection.self)[0]
        let frozen = rex.freeze()
        try realm.write { rex.name = "Max" }
        #expect(frozen.isFrozen && !rex.isFrozen && frozen.name == "Rex" && rex.name == "Max")
        #expect(frozen.summary == "Rex, 0" && frozen != rex && frozen == frozen.freeze())
        let thawed = try #require(frozen.thaw())
        #expect(thawed == rex && thawed.name == "Max" && !thawed.isFrozen)
        let all = realm.objects(DogProjection.self).freeze()
        try realm.write { realm.delete(rex.rootObject) }
        #expect(frozen.name == "Rex" && frozen.thaw() == nil)
        #expect(all.map(\.name) == ["Max", "Bo", "Ida"] && all.thaw()?.count == 2)
    }

    @Test("of a list's objects show its elements of one version")
    func projectedCollections() throws {
        let realm = try kennel()
        let person = try #require(realm.objects(Person.self).first)
        let names = person.dogs.projectTo.name
        let frozen = names.freeze()
        try realm.write { person.dogs.removeFirst() }
        #expect(Array(frozen) == ["Rex", "Bo", "Ida"] && Array(names) == ["Bo", "Ida"])
        #expect(frozen.isFrozen && Array(frozen.thaw() ?? names) == ["Bo", "Ida"])
    }

    @Test("of results stand as they stood, and several threads read them at once")
    func sections() throws {
        let realm = try kennel()
        let sections = realm.objects(Dog.self).sectioned(by: \.name)
        let bo = sections[0]
        nonisolated(unsafe) let frozen = sections.freeze()
        let frozenBo = bo.freeze()
        try realm.write { for dog in bo { dog.name = "Zoe" } }
        #expect(sections.allKeys == ["Ida", "Rex", "Zoe"] && bo.isEmpty)
        #expect(frozen.isFrozen && frozenBo.isFrozen && frozenBo.map(\.id) == [1])
        #expect(frozen.thaw()?.allKeys == sections.allKeys && frozenBo.thaw()?.isEmpty == true)
        nonisolated(unsafe) let lines = UnsafeMutablePointer<String>.allocate(capacity: 8)
        lines.initialize(repeating: "", count: 8)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            lines[thread] = frozen.map { "\($0.key) \($0.map(\.id))" }.joined(separator: ", ")
        }
        for thread in 0..<8 { #expect(lines[thread] == "Bo [1], Ida [2], Rex [0]") }
        lines.deinitialize(count: 8).deallocate()
    }

    @Test("are referred to, and resolved elsewhere")
    func references() throws {
        let realm = try kennel()
        let reference = ThreadSafeReference(to: realm.objects(DogProjection.self)[1])
        let sections = ThreadSafeReference(to: realm.objects(Dog.self).sectioned(by: \.name))
        #expect(realm.resolve(reference)?.name == "Bo")
        #expect(realm.resolve(sections)?.allKeys == ["Bo", "Ida", "Rex"])
    }

    @Test("end the process where they are not managed, and where they are observed")
    func faults() async throws {
        let unmanaged = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = DogProjection(projecting: Dog()).freeze()
        }
        #expect(unmanaged.message.contains("Unmanaged objects cannot be frozen."))
        let observed = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm.empty()
            _ = realm.objects(Dog.self).sectioned(by: \.name).freeze().observe { _ in }
        }
        #expect(
            observed.message.contains(
                "Frozen Realms do not change and do not have change notifications."))
    }
}
