import Holdfast
import HoldfastObjectStore
import HoldfastStorage
import HoldfastStorageLMDB

/// A folder's store whose writes have few changes in memory: realms that are opened there meanwhile share it.
struct LimitedStore {
    private let shared: SharedStore

    init(_ configuration: Realm.Configuration, byteCountMax: Int) throws {
        let folder = configuration.fileURL?.path ?? ""
        var options = StoreOptions()
        options.interactiveByteCountMax = byteCountMax
        shared = try OpenStores.open(folder: folder, options: options) {
            () throws(StorageError) in try LMDBEngine(LMDBOptions(directory: folder))
        }
    }

    func close() { shared.release() }
}
