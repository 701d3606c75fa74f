import ObjectStore
import ObjectSupport
import TestSupport

/// Random schemas and transactions on a store, compared with dictionaries after each.
struct ObjectTarget: FuzzTarget {
    static let name = "objects"

    init() {}

    mutating func round(seed: UInt64) throws {
        let engineCase = EngineCase.all[Int(seed % UInt64(EngineCase.all.count))]
        let engine = LastingEngine(try engineCase.open())
        var options = StoreOptions()
        if seed % 3 == 0 { options.outsideLimits = .tiny }
        let script = try ObjectScript(seed: seed) { () throws(StoreError) in
            try Store(engine: engine, options: options)
        }
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
