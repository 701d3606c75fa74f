import Glibc
import HoldfastPlainQuery
import HoldfastTestSupport
import HoldfastThreads

/// The fuzzer: random input for every part that reads what others wrote, and random operations on the
/// store and its engines, compared with models.
@main
enum Fuzz {
    /// Does one round; the same seed does the same.
    ///
    /// - Throws: ``FuzzFailure``, or an error that has no business to happen.
    typealias Round = (_ seed: UInt64) throws -> Void

    /// The parts of the program that are tried, by what `--only` calls them; each makes what its rounds share.
    private static let targets: [(name: String, make: @Sendable () throws -> Round)] = [
        ("objects", { ObjectTarget.round }), ("damage", { DamageTarget.round }),
        ("engines", { tryEngine }), ("queries", { try QueryTarget().round }),
        ("answers", { tryAnswers }), ("damaged-answers", { tryDamagedAnswers }),
        ("json", { JSONTarget().round }), ("keys", { KeyTarget.round }),
        ("rows", { RowTarget.round }),
    ]

    /// Random operations on a storage engine, compared with a dictionary.
    private static func tryEngine(seed: UInt64) throws {
        let engineCase = EngineCase.all[Int(seed % UInt64(EngineCase.all.count))]
        var contract = try StorageContract(try engineCase.open(), seed: seed)
        try contract.run(200)
    }

    /// Random queries on random objects: every plan, with columns and without, against the plainest evaluator.
    private static func tryAnswers(seed: UInt64) throws {
        var run = try QueryDifferential(seed: seed)
        defer { run.close() }
        try run.run(queryCount: 150)
        try expect(run.difference == nil, run.difference ?? "")
    }

    /// Random queries, by every plan, with columns and without, on stores of which rows, index entries and
    /// other entries are damaged.
    private static func tryDamagedAnswers(seed: UInt64) throws {
        var run = DamagedAnswers(seed: seed)
        try run.run(roundCount: 25)
    }

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let options = FuzzOptions(arguments, targets: targets.map(\.name)) else {
            print(FuzzOptions.usage)
            print("targets: " + targets.map(\.name).joined(separator: " "))
            exit(arguments == ["--help"] ? 0 : 2)
        }
        print("Fuzz: --seed \(options.seed), \(options.seconds) s")
        CrashNote.install()
        do {
            let counts = try run(options)
            print("Fuzz: no fault in " + counts.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
        } catch {
            print(CrashNote.current + "\(error)")
            exit(1)
        }
    }

    private static func run(_ options: FuzzOptions) throws -> [(String, Int)] {
        let chosen = targets.filter { options.only == nil || $0.name == options.only }
        let rounds = try chosen.map { try $0.make() }
        var counts = chosen.map { ($0.name, 0) }
        let end = now() + options.seconds
        var round = 0
        while round < options.rounds, now() < end {
            // Each target's seed says it all: `--seed` with `--only` and `--rounds 1` repeats a round.
            let seed = options.seed &+ UInt64(round)
            for index in rounds.indices where now() < end {
                CrashNote.set(
                    "Fuzz: a fault; repeat with --only \(counts[index].0) --seed \(seed) --rounds 1\n"
                )
                try rounds[index](seed)
                counts[index].1 += 1
            }
            round += 1
        }
        return counts
    }

    private static func now() -> Int { Int(monotonicNanoseconds() / 1_000_000_000) }
}
