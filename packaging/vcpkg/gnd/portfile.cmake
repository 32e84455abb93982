# vcpkg's recipe, an overlay port for the source that it lies in:
#     vcpkg install gnd --overlay-ports=packaging/vcpkg --triplet x64-linux-dynamic
# It is the shared library, as a release build: gnd's debug builds are for those who change it.
set(VCPKG_BUILD_TYPE release)
set(VCPKG_POLICY_MISMATCHED_NUMBER_OF_BINARIES enabled)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if("cuda" IN_LIST FEATURES)
    set(cuda enabled)
else()
    set(cuda disabled)
endif()
vcpkg_configure_meson(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -Dtests=false
        -Dcuda=${cuda}
        -Dgpu_arch=release
)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES gnd-info AUTO_CLEAN)

# CMake's files go where vcpkg has those of all ports, a folder nearer to the prefix.
file(RENAME "${CURRENT_PACKAGES_DIR}/lib/cmake/gnd" "${CURRENT_PACKAGES_DIR}/share/gnd")
vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/gnd/gnd-config.cmake" "/../../.." "/../..")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake" "${CURRENT_PACKAGES_DIR}/lib/libgnd.a")
file(REMOVE "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/gnd-static.pc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
