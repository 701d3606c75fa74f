import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStorage
import HoldfastTestSupport

/// Random schemas, transactions, migrations and backups, compared with dictionaries after each.
enum ObjectTarget {
    static func round(seed: UInt64) throws {
        let engineCase = EngineCase.all[Int(seed % UInt64(EngineCase.all.count))]
        let script = try ObjectScript(
            seed: seed,
            options: ObjectScript.options(
                isOutOfLine: seed % 3 == 0, isStaged: seed / 2 % 2 == 0,
                isParted: seed / 4 % 2 == 0)
        ) { () throws(StorageError) in try engineCase.open() }
        defer { script.close() }
        for _ in 0..<120 {
            try script.takeStep()
            try expect(
                script.differences.isEmpty,
                "on \(engineCase):\n" + script.differences.joined(separator: "\n"))
        }
        let findings = try script.store.findings()
        try expect(findings.isEmpty, "check: " + findings.joined(separator: "\n"))
    }
}
