import TestSupport

/// Random operations on a storage engine, compared with a dictionary.
struct EngineTarget: FuzzTarget {
    static let name = "engines"

    init() {}

    mutating func round(seed: UInt64) throws {
        let engineCase = EngineCase.all[Int(seed % UInt64(EngineCase.all.count))]
        var contract = try StorageContract(try engineCase.open(), seed: seed)
        try contract.run(200)
    }
}
