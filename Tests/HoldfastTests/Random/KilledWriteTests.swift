import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

final class Step: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var marks: List<Mark>
    @Persisted var previous: Step?
}

final class Mark: Object {
    @Persisted(indexed: true) var step: Int

    convenience init(step: Int) {
        self.init()
        self.step = step
    }
}

@Suite("Killed writes")
struct KilledWriteTests {
    @Test("that were acknowledged are there, and one that was not is there whole or not at all")
    func keeps() async throws {
        let seed = SeededGenerator.testSeed("KilledWriteTests")
        var generator = SeededGenerator(seed: seed)
        let directory = TemporaryDirectory()
        var acknowledged = 0
        for round in 0..<SeededGenerator.scaled(10) {
            let path = directory.path
            let microseconds = UInt32.random(in: 0..<60_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, microseconds = microseconds as UInt32] in
                try Self.write(path, killedAfter: microseconds)
            }
            acknowledged = max(acknowledged, Self.acknowledged(path))
            let last = try Self.lastStep(path)
            #expect(
                last == acknowledged || last == acknowledged + 1,
                "seed \(seed), round \(round): \(acknowledged) acknowledged, \(last) there")
            acknowledged = last
        }
        #expect(acknowledged > 0)
    }

    private static func realm(_ path: String) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: path + "/killed.realm"),
                objectTypes: [Step.self, Mark.self]))
    }

    /// Writes steps without end, and notes each in a file when `write` has returned.
    private static func write(_ path: String, killedAfter microseconds: UInt32) throws {
        let realm = try realm(path)
        let log = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        Thread.detachNewThread {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        while true {
            let previous = realm.objects(Step.self).max { $0.number < $1.number }
            let number = (previous?.number ?? 0) + 1
            try realm.write {
                let step = realm.create(Step.self, value: ["number": number])
                step.previous = previous
                for _ in 0..<marks(of: number) { step.marks.append(Mark(step: number)) }
            }
            let line = Array("\(number)\n".utf8)
            _ = Glibc.write(log, line, line.count)
        }
    }

    private static func marks(of step: Int) -> Int { step % 5 + 1 }

    private static func acknowledged(_ path: String) -> Int {
        let text = String(
            decoding: TemporaryDirectory.contents(path + "/acknowledged") ?? [], as: UTF8.self)
        return text.split(separator: "\n").last.flatMap { Int($0) } ?? 0
    }

    /// The last step of the store, each of whose steps has to be whole.
    private static func lastStep(_ path: String) throws -> Int {
        let realm = try realm(path)
        let steps = realm.objects(Step.self)
        #expect(steps.map(\.number) == Array(1..<(steps.count + 1)))
        for step in steps {
            #expect(
                step.marks.map(\.step)
                    == Array(repeating: step.number, count: marks(of: step.number)))
            #expect(step.previous?.number == (step.number == 1 ? nil : step.number - 1))
            #expect(
                realm.objects(Mark.self).filter("step == $0", step.number).count
                    == marks(of: step.number))
        }
        #expect(realm.objects(Mark.self).count == steps.reduce(0) { $0 + marks(of: $1.number) })
        return steps.count
    }
}
