import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

@Suite("Random programs")
struct RandomProgramTests {
    enum Place { case memory, folder, folderThatKeepsNothingInMemory }

    @Test(
        "of writes, collection edits, faults and rollbacks leave what plain values say, in memory and in a folder",
        arguments: [Place.memory, .folder, .folderThatKeepsNothingInMemory])
    func agrees(place: Place) throws {
        let seed = SeededGenerator.testSeed("RandomProgramTests")
        let directory = TemporaryDirectory()
        var configuration = Realm.Configuration(objectTypes: [Item.self, Part.self])
        if place == .memory {
            configuration.inMemoryIdentifier = "random program"
        } else {
            configuration.fileURL = URL(fileURLWithPath: directory.path + "/random.realm")
        }
        let limited =
            place == .folderThatKeepsNothingInMemory
            ? try LimitedStore(configuration, byteCountMax: 0) : nil
        defer { limited?.close() }
        var program = RandomProgram(try Realm(configuration: configuration), seed: seed)
        var count = 0
        while count < SeededGenerator.scaled(5_000) { count += try program.runTransaction() }
        try program.compare()
    }
}
