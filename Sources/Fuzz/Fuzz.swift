import Glibc
import Threads

/// The fuzzer: random input for every part that reads what others wrote, and random operations on the
/// store and its engines, compared with models.
@main
enum Fuzz {
    private static let targets: [any FuzzTarget.Type] = [
        ObjectTarget.self, DamageTarget.self, EngineTarget.self, QueryTarget.self,
        AnswerTarget.self, DamagedAnswerTarget.self,
        JSONTarget.self, KeyTarget.self, RowTarget.self,
    ]

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let options = FuzzOptions(arguments, targets: targets.map { $0.name }) else {
            print(FuzzOptions.usage)
            print("targets: " + targets.map { $0.name }.joined(separator: " "))
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
        var parts = try chosen.map { try $0.init() }
        var counts = chosen.map { ($0.name, 0) }
        let end = now() + options.seconds
        var round = 0
        while round < options.rounds, now() < end {
            // Each target's seed says it all: `--seed` with `--only` and `--rounds 1` repeats a round.
            let seed = options.seed &+ UInt64(round)
            for index in parts.indices where now() < end {
                CrashNote.set(
                    "Fuzz: a fault; repeat with --only \(counts[index].0) --seed \(seed) --rounds 1\n"
                )
                try parts[index].round(seed: seed)
                counts[index].1 += 1
            }
            round += 1
        }
        return counts
    }

    private static func now() -> Int { Int(monotonicNanoseconds() / 1_000_000_000) }
}
